import { type Html, html, markup } from '../markup/html.ts';
import { marked } from '../markup/icon.ts';
import { wide } from '../markup/wide.ts';
import { packSeries } from '../packSeries.ts';
import type { PlottedPoint, PlottedSeries } from '../reportData.ts';
import { pointsUntil, seriesPoints } from '../seriesPoints.ts';
import { groupDigits, orDash, plural } from '../texts/numberText.ts';
import { bucketText } from '../texts/timeText.ts';
import { latestPoints } from '../verdicts/latestPoints.ts';
import { groupFacts, groupOf } from '../verdicts/verdictFacts.ts';
import { anchor, type View } from '../view.ts';

/** The metrics of every chain: the newest values as a table, and what the page's script draws them all from. */
export function metricsSection(view: View): Html {
  const { series, chainsLeft } = view.data;
  const chains = [...new Set(series.map(({ chainId }) => chainId))];
  if (chains.length === 0)
    return html`<section id="metrics" aria-labelledby="h-metrics"><h2 id="h-metrics">Metrics</h2><p class="empty">No metric was built yet: <code>firn build</code> recomputes them from the blocks.</p></section>`;
  const left = chains.length - view.drawn.length + chainsLeft;
  return html`<section id="metrics" aria-labelledby="h-metrics"><h2 id="h-metrics">Metrics <small>UTC</small></h2>
<div id="explorer" hidden></div>
<details class="latest" open><summary>Latest values by day, as a table</summary>${view.drawn.map((chain) => latestTable(view, chain))}</details>
${left > 0 && html`<p class="note">The metrics of ${plural(left, 'more chain')} would not fit this page: <code>firn report --chain &lt;id&gt;</code> draws the chains it names.</p>`}
<script type="text/plain" id="payload">${markup(packSeries(view))}</script></section>`;
}

/** Settled values come first; those that may still change are marked, with their day. */
function latestTable(view: View, chain: string): Html {
  const own = view.data.series
    .filter(({ chainId, interval }) => chainId === chain && interval === 'day')
    .sort((a, b) => view.metrics.compare(a.metric, b.metric));
  const name = view.chainName(chain);
  return html`<div ${wide(`Latest values of ${name}`)}><table><caption>${name}</caption><thead><tr><th scope="col">metric<th scope="col">settled (UTC)<th scope="col" class="n">own<th scope="col" class="n">served<th scope="col">verdict<th scope="col">provisional (UTC)<th scope="col" class="n">own<th scope="col" class="n">served</thead><tbody>${own.map((series) => latestRow(view, series))}</tbody></table></div>`;
}

function latestRow({ data, metrics }: View, series: PlottedSeries): Html {
  const { chainId, metric, interval } = series;
  const { settled, provisional } = latestPoints(pointsUntil(seriesPoints(series), data.generatedAt));
  const group = settled?.verdict ? groupOf(settled.verdict) : null;
  const cells = (point: PlottedPoint | undefined) =>
    html`<td>${point ? bucketText(point.bucket, interval) : '–'}<td class="n">${orDash(point?.own, groupDigits)}<td class="n">${orDash(point?.served, groupDigits)}`;
  return html`<tr id="${anchor('m', chainId, metric, interval)}"><th scope="row">${metric} <small>${metrics.of(metric).unit}</small>${cells(settled)}<td>${group ? marked(group, groupFacts[group].word) : 'not compared'}${cells(provisional)}
`;
}
