import { gapText } from '../../core/knownGap.ts';
import { streamHealth } from '../health/streamHealth.ts';
import { type Html, html } from '../markup/html.ts';
import { marked } from '../markup/icon.ts';
import { wide } from '../markup/wide.ts';
import type { PartitionState, StreamState } from '../reportData.ts';
import { countText, orDash, plural } from '../texts/numberText.ts';
import { momentText, spanText } from '../texts/timeText.ts';
import type { VerdictGroup } from '../verdicts/verdictFacts.ts';
import type { View } from '../view.ts';

const faces: Readonly<Record<ReturnType<typeof streamHealth>['word'], VerdictGroup>> = {
  failed: 'differs',
  stopped: 'served',
  dropped: 'served',
  'not offered': 'own',
  read: 'waiting',
  'up to date': 'agrees',
};

/** State of every stream: rows, quarantine, how far it is, and its partitions. */
export function streamsSection(view: View): Html {
  const { streams } = view.data;
  if (streams.length === 0)
    return html`<section id="streams" aria-labelledby="h-streams"><h2 id="h-streams">Streams</h2><p class="empty">Nothing was read yet: <code>firn sync</code> begins.</p></section>`;
  const newest = Math.max(...streams.map(({ newestRow }) => newestRow ?? Number.NEGATIVE_INFINITY));
  const shown = streams.slice(0, view.limits.streams);
  return html`<section id="streams" aria-labelledby="h-streams"><h2 id="h-streams">Streams</h2>
<p class="note">Lag is how much older the newest row is than the newest of any stream (${Number.isFinite(newest) ? `${momentText(newest)} UTC` : 'none has a time yet'}), by the network's own time: a quiet address lags, but lacks nothing.</p>
<div ${wide('Table of streams')}><table><caption>${plural(streams.length, 'stream')}</caption>
<thead><tr><th scope="col">stream</th><th scope="col">state</th><th scope="col" class="n">rows</th><th scope="col" class="n">quarantined</th><th scope="col">newest row (UTC)</th><th scope="col">lag</th><th scope="col">read to the end (UTC)</th><th scope="col">last new rows (UTC)</th></tr></thead>
<tbody>${shown.map((stream) => row(stream, newest))}</tbody></table></div>
${shown.length < streams.length && html`<p class="note">${plural(streams.length - shown.length, 'more stream')} not shown.</p>`}
${gaps(view)}
<details><summary>Partitions: ${plural(
    streams.reduce((sum, { partitions }) => sum + partitions.length, 0),
    'partition',
  )} with their checkpoints</summary>
${shown.map((stream) => partitionTable(view, stream))}</details></section>`;
}

function row(stream: StreamState, newest: number): Html {
  const health = streamHealth(stream);
  const lag = stream.newestRow === null ? null : newest - stream.newestRow;
  return html`<tr><th scope="row"><code>${stream.stream}</code> <small>${stream.partitions.length > 1 && `× ${stream.partitions.length}`}</small></th><td>${marked(faces[health.word], stateText(health))}</td><td class="n">${countText(stream.rows)}</td><td class="n">${stream.quarantined > 0 ? html`<a class="c differs" href="#quarantine">${countText(stream.quarantined)}</a>` : '0'}</td><td>${orDash(stream.newestRow, momentText)}</td><td>${lag === null ? '–' : lag < 1000 ? 'none' : spanText(lag)}</td><td>${orDash(stream.lastRead, momentText)}</td><td>${orDash(stream.lastLoad, momentText)}</td></tr>
`;
}

function stateText({ word, failed, stopped, behind, notOffered }: ReturnType<typeof streamHealth>): string {
  if (word === 'failed') return `${plural(failed, 'partition')} failed`;
  if (word === 'stopped') return behind > 0 ? `${countText(behind)} behind` : `${stopped} stopped`;
  if (word === 'not offered') return `${notOffered} not offered`;
  return word;
}

function partitionTable(view: View, { stream, partitions }: StreamState): Html {
  const badFirst = [...partitions].sort((a, b) => Number(b.outcome === 'failed') - Number(a.outcome === 'failed'));
  const shown = badFirst.slice(0, view.limits.partitions);
  if (shown.length === 0) return html``;
  const caption =
    shown.length < partitions.length
      ? `${stream}: ${shown.length} of ${plural(partitions.length, 'partition')}`
      : stream;
  return html`<div ${wide(`Partitions of ${stream}`)}><table><caption>${caption}</caption><thead><tr><th scope="col">partition<th scope="col">last outcome<th scope="col" class="n">rows written<th scope="col">checkpoint</thead><tbody>${shown.map(
    (partition) =>
      html`<tr><td>${partition.partition}<td>${outcomeText(partition)}<td class="n">${countText(partition.rows)}<td><code>${partition.position ?? '–'}</code>`,
  )}</tbody></table></div>
`;
}

function outcomeText({ outcome, message, behind }: PartitionState): string {
  const words = (outcome ?? 'not told').replaceAll('_', ' ');
  const far = behind !== null && behind > 0 ? `, ${countText(behind)} behind` : '';
  return message ? `${words}${far}: ${message}` : `${words}${far}`;
}

/** Positions that are known to be missing. */
function gaps(view: View): Html {
  const { gaps: all } = view.data;
  if (all.length === 0) return html``;
  const shown = all.slice(0, view.limits.reasons);
  return html`<details><summary>${plural(all.length, 'known hole')}: the configuration allows them, or records in quarantine were accepted</summary><ul>${shown.map(
    (gap) => html`<li><code>${gap.stream}</code> ${gap.partition}: ${gapText(gap, countText)}</li>`,
  )}</ul>${shown.length < all.length && html`<p class="note">${plural(all.length - shown.length, 'more hole')} not shown.</p>`}</details>`;
}
