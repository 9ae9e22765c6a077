import { networkText } from '../../core/stream/network.ts';
import { type Html, html, prose } from '../markup/html.ts';
import { icon } from '../markup/icon.ts';
import type { ReportData } from '../reportData.ts';
import { bytesText, countText, plural } from '../texts/numberText.ts';
import { dayMs, dayText, momentText, spanText } from '../texts/timeText.ts';
import { countGroups } from '../verdicts/seriesVerdicts.ts';
import { type VerdictGroup, verdictGroups } from '../verdicts/verdictFacts.ts';
import type { View } from '../view.ts';
import { attention } from './attention.ts';

/** What this is, and its one sentence. */
export function headerSection(view: View): Html {
  const { data } = view;
  const { group, sentence, rest } = headline(data);
  return html`<header><p class="brand"><b>firn</b> report${data.network && html` <span>${networkText(data.network.name, data.network.id)}</span>`}</p>
<h1 class="c ${group}">${icon(group)} <span>${sentence}</span></h1>
${shares(data)}<p class="rest">${prose(rest)}</p>
${attention(view)}
<dl>${facts(view).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></header>`;
}

function headline({ verdicts }: ReportData): { group: VerdictGroup; sentence: string; rest: string } {
  const counts = countGroups(verdicts);
  const settled = counts.differs + counts.explained + counts.rounded + counts.agrees;
  const others = [
    counts.explained > 0 && `${plural(counts.explained, 'bucket')} with a difference that is explained`,
    counts.rounded > 0 && `${plural(counts.rounded, 'bucket')} served with fewer decimals`,
    counts.served > 0 && `${plural(counts.served, 'bucket')} not served, or not whole`,
    counts.own > 0 && `${plural(counts.own, 'bucket')} not covered`,
    counts.waiting > 0 && `${plural(counts.waiting, 'bucket')} not settled yet`,
  ].filter((part) => part !== false);
  const rest = others.length > 0 ? `Also: ${others.join('; ')}.` : '';
  if (verdicts.length === 0)
    return {
      group: 'waiting',
      sentence: 'Nothing was compared yet',
      rest: 'The first `firn run` that reads blocks and served metrics changes that.',
    };
  if (counts.differs > 0)
    return {
      group: 'differs',
      sentence: `${countText(counts.differs)} of ${plural(settled, 'settled bucket')} ${counts.differs === 1 ? 'differs' : 'differ'}`,
      rest,
    };
  if (settled === 0) return { group: 'waiting', sentence: 'No bucket can be judged yet', rest };
  if (counts.explained > 0) return { group: 'explained', sentence: 'No bucket differs without a reason', rest };
  const agree = `All ${plural(settled, 'settled bucket')} agree`;
  return counts.rounded > 0
    ? { group: 'rounded', sentence: `${agree}, ${countText(counts.rounded)} of them rounded`, rest }
    : { group: 'agrees', sentence: agree, rest };
}

/** The share of each group, as one bar. */
function shares({ verdicts }: ReportData): Html {
  const counts = countGroups(verdicts);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return html``;
  // Every group that has a bucket must be visible.
  const widths = [...verdictGroups]
    .reverse()
    .map((group) => [group, counts[group] === 0 ? 0 : Math.max(8, (counts[group] / total) * 1000)] as const);
  const sum = widths.reduce((all, [, width]) => all + width, 0);
  let x = 0;
  return html`<svg class="shares" viewBox="0 0 ${Math.ceil(sum)} 10" preserveAspectRatio="none" aria-hidden="true">${widths.map(
    ([group, width]) => {
      const part = html`<rect class="b ${group}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="10"/>`;
      x += width;
      return width > 0 && part;
    },
  )}</svg>`;
}

function facts(view: View): [string, Html | string][] {
  const { chains, published, generatedAt, firnVersion, coverage, lastPublishedAt } = view.data;
  const age = lastPublishedAt === null ? 0 : generatedAt - lastPublishedAt;
  const held = chains.filter(({ newestTime }) => newestTime !== null);
  const days = coverage.map(({ day }) => day);
  const from = days.reduce((first, day) => Math.min(first, day), Number.POSITIVE_INFINITY);
  return [
    [
      'Chains, up to',
      held.length === 0
        ? 'no blocks yet'
        : html`${held
            .slice(0, view.limits.chains)
            .map(
              ({ chainId, newestBlock, newestTime }) =>
                html`<span>${view.chainName(chainId)}: ${newestBlock === null ? 'containers' : `block ${countText(newestBlock)}`}, ${momentText(newestTime ?? 0)} UTC</span>`,
            )}${held.length > view.limits.chains && html`<span>and ${plural(held.length - view.limits.chains, 'more chain')}</span>`}`,
    ],
    ['From', Number.isFinite(from) ? dayText(from) : '–'],
    [
      'Version',
      published
        ? html`<span>${published.version}, published ${momentText(published.at)} UTC</span><span>${plural(published.rows, 'row')}${published.files > 0 && ` in ${plural(published.files, 'file')}, ${bytesText(published.bytes)}`}</span>${age >= dayMs && html`<span>no run has published for ${spanText(age)}</span>`}`
        : 'not published',
    ],
    ['Generated', html`<span>${momentText(generatedAt)} UTC</span><span>by firn ${firnVersion}</span>`],
  ];
}
