import { intervals } from '../../transform/bucketTime.ts';
import { type Html, html } from '../markup/html.ts';
import { icon, marked } from '../markup/icon.ts';
import { wide } from '../markup/wide.ts';
import type { VerdictCount } from '../reportData.ts';
import { countText, plural } from '../texts/numberText.ts';
import { countGroups, groupWords, seriesVerdict } from '../verdicts/seriesVerdicts.ts';
import { groupFacts, type VerdictGroup, verdictGroups } from '../verdicts/verdictFacts.ts';
import { anchor, type View } from '../view.ts';
import { explained } from './explanationsSection.ts';

/** Chain by metric by interval: what people read first. */
export function matrixSection(view: View): Html {
  const { verdicts } = view.data;
  if (verdicts.length === 0)
    return html`<section id="verdicts" aria-labelledby="h-verdicts"><h2 id="h-verdicts">Verdicts</h2>
<p class="empty">Nothing was compared yet. <code>firn run</code> reads, recomputes and compares; metrics/chain_metrics must be among the streams.</p></section>`;
  const chains = [...new Set(verdicts.map(({ chainId }) => chainId))];
  const shown = worstFirst(chains, verdicts).slice(0, view.limits.matrices);
  const left = chains.length - shown.length;
  const anchors = new Set(
    explained(view).shown.map(({ chainId, metric, interval }) => anchor('x', chainId, metric, interval)),
  );
  return html`<section id="verdicts" aria-labelledby="h-verdicts"><h2 id="h-verdicts">Verdicts <small>recomputed from blocks against served</small></h2>
${legend(verdicts)}
<div class="matrices">${shown.map((chain) => matrix(view, chain, anchors))}</div>
${left > 0 && html`<p class="note">${plural(left, 'more chain')} not shown; those shown are the ones with most to look at.</p>`}</section>`;
}

/** Chains with the most buckets that need a look; the order of the warehouse among equals. */
function worstFirst(chains: readonly string[], verdicts: readonly VerdictCount[]): string[] {
  const badness = new Map(
    chains.map((chain) => {
      const counts = countGroups(verdicts.filter(({ chainId }) => chainId === chain));
      return [
        chain,
        verdictGroups.map((group) => (['waiting', 'agrees'].includes(group) ? 0 : counts[group])),
      ] as const;
    }),
  );
  return [...chains].sort((a, b) => {
    for (const [index, of] of (badness.get(a) ?? []).entries()) {
      const difference = (badness.get(b)?.[index] ?? 0) - of;
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** What the signs mean: those on the page in sight, the others folded away. */
function legend(verdicts: readonly VerdictCount[]): Html {
  const counts = countGroups(verdicts);
  const order = [...verdictGroups].reverse();
  const entries = (groups: readonly VerdictGroup[]) =>
    html`<ul class="legend">${groups.map(
      (group) => html`<li>${marked(group, countText(counts[group]))}
<span><b>${groupFacts[group].word}</b> ${groupFacts[group].meaning}</span></li>`,
    )}</ul>`;
  const absent = order.filter((group) => counts[group] === 0);
  return html`${entries(order.filter((group) => counts[group] > 0))}
${absent.length > 0 && html`<details><summary>None here: ${absent.map((group) => groupFacts[group].word).join(', ')}</summary>${entries(absent)}</details>`}`;
}

/** @param anchors of the explanations that the page has */
function matrix(view: View, chain: string, anchors: ReadonlySet<string>): Html {
  const own = view.data.verdicts.filter(({ chainId }) => chainId === chain);
  const metrics = [...new Set([...view.metrics.names, ...own.map(({ metric }) => metric)])].sort(view.metrics.compare);
  return html`<div ${wide(`Verdicts of ${view.chainName(chain)}`)}><table class="matrix"><caption>${view.chainName(chain)}</caption>
<thead><tr><th scope="col">metric</th>${intervals.map((interval) => html`<th scope="col">${interval}</th>`)}</tr></thead>
<tbody>${metrics.map(
    (metric) =>
      html`<tr><th scope="row">${metric}</th>${intervals.map((interval) =>
        cell(
          view,
          own.filter((count) => count.metric === metric && count.interval === interval),
          { chain, metric, interval },
          anchors,
        ),
      )}</tr>\n`,
  )}</tbody></table></div>`;
}

function cell(
  { metrics, drawn }: View,
  counts: readonly VerdictCount[],
  { chain, metric, interval }: { chain: string; metric: string; interval: string },
  anchors: ReadonlySet<string>,
): Html {
  if (counts.length === 0) {
    const why = metrics.of(metric).intervals.includes(interval) ? 'not compared' : 'no such interval';
    return html`<td class="c none"><span aria-hidden="true">${why === 'not compared' ? '–' : ''}</span><span class="vh">${why}</span></td>`;
  }
  const { group, buckets, counts: sums } = seriesVerdict(counts);
  const spoken = groupWords(sums).join(', ');
  const rest = buckets - sums[group];
  // Where the page's script does not run, or does not have the buckets, a cell leads to what the page says of it.
  const own = anchor('x', chain, metric, interval);
  const target =
    group === 'waiting' || (group === 'agrees' && rest > 0)
      ? 'waiting'
      : group === 'agrees'
        ? 'metrics'
        : anchors.has(own)
          ? own
          : 'explanations';
  const go = drawn.includes(chain) && new URLSearchParams({ chain, metric, interval }).toString();
  const face = html`<span aria-hidden="true">${icon(group)} ${countText(sums[group])}${rest > 0 && html` <small>${restText(sums.waiting, rest, buckets)}</small>`}</span><span class="vh">${spoken}</span>`;
  return html`<td class="c ${group}" title="${spoken}"><a href="#${target}"${go && html` data-go="${go}"`}>${face}</a></td>`;
}

/** The small text beside a cell's number: how many are provisional where all others are of one kind, else of how many others. */
const restText = (waiting: number, rest: number, buckets: number): string =>
  rest === waiting ? `+${countText(waiting)}` : `of ${countText(buckets - waiting)}`;
