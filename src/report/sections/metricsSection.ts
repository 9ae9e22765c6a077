import { type Html, html } from '../html.ts';
import { factsOf, metricRank, timeIntervals } from '../metricFacts.ts';
import { groupDigits, plural, shortNumber } from '../numberText.ts';
import { plotSvg } from '../plot/plotSvg.ts';
import { thinPoints } from '../plot/thinPoints.ts';
import type { Point, Series } from '../reportData.ts';
import { seriesVerdict } from '../seriesVerdicts.ts';
import { bucketText } from '../timeText.ts';
import { groupFacts, verdictGroups } from '../verdictFacts.ts';
import { anchor, type View } from '../view.ts';
import { icon } from './icon.ts';

const spans: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
};

/** The metrics of every chain as small plots, each with its table. */
export function metricsSection(view: View): Html {
  const { series } = view.data;
  const chains = [...new Set(series.map(({ chainId }) => chainId))];
  if (chains.length === 0) {
    return html`<section id="metrics" aria-labelledby="h-metrics"><h2 id="h-metrics">Metrics</h2><p class="empty">No metric was built yet: <code>firn build</code> recomputes them from the blocks.</p></section>`;
  }
  const shown = chains.slice(0, view.limits.plots);
  const left = chains.length - shown.length;
  return html`<section id="metrics" aria-labelledby="h-metrics"><h2 id="h-metrics">Metrics <small>UTC</small></h2>
<p class="key"><span class="k own">recomputed here</span> <span class="k srv">served</span> ${(
    ['differs', 'explained', 'served', 'own', 'rounded', 'waiting'] as const
  ).map((group) => html`<span class="k ${group}">${groupFacts[group].word}</span> `)}</p>
${shown.map((chain) => chainPlots(view, chain))}
${left > 0 && html`<p class="note">The plots of ${plural(left, 'more chain')} would not fit this page: <code>firn report --chain &lt;id&gt;</code> draws the chains it names.</p>`}</section>`;
}

function chainPlots(view: View, chain: string): Html {
  const own = view.data.series
    .filter(({ chainId }) => chainId === chain)
    .sort((a, b) => metricRank(a.metric) - metricRank(b.metric) || place(a.interval) - place(b.interval));
  return html`<section aria-labelledby="${anchor('p', chain)}"><h3 id="${anchor('p', chain)}">${view.chainName(chain)}</h3>
<div class="plots">${own.map((series) => figure(view, series))}</div></section>`;
}

const place = (interval: string): number => ['day', ...timeIntervals].indexOf(interval);

function figure(view: View, series: Series): Html {
  const { chainId, metric, interval, scale } = series;
  const facts = factsOf(metric);
  const counts = view.data.verdicts.filter(
    (count) => count.chainId === chainId && count.metric === metric && count.interval === interval,
  );
  const { group, counts: sums } = seriesVerdict(counts);
  const verdict = verdictGroups
    .filter((name) => sums[name] > 0)
    .map((name) => `${sums[name]} ${groupFacts[name].word}`)
    .join(', ');
  const newest = series.points.findLast(({ own, served }) => own !== null || served !== null);
  const range = extent(series.points);
  const label = `${facts.title} of ${view.chainName(chainId)} by ${interval}, ${plural(series.buckets, 'bucket')}${
    range && `, own values from ${shortNumber(range[0])} to ${shortNumber(range[1])} ${facts.unit}`
  }; against the served values: ${verdict || 'nothing to compare'}`;
  return html`<figure id="${anchor('m', chainId, metric, interval)}"><figcaption><h4>${facts.title}${interval !== 'day' && ` by ${interval}`}</h4>
${counts.length > 0 ? html`<span class="end"><span class="c ${group}" title="${verdict}">${icon(group)}<span class="vh">${verdict}</span></span></span>` : html`<span></span>`}
<code>${metric}</code>${newest && html` <span class="end">${shortNumber(newest.own ?? newest.served ?? 0)} <small>${facts.unit}</small></span>`}</figcaption>
${plotSvg({
  points: thinPoints(series.points, view.limits.points),
  scale,
  bucketSpan: spans[interval] ?? 0,
  fromZero: !facts.cumulative,
  label,
})}
${scale !== 1 && html`<p class="note">Served values are drawn × ${groupDigits(String(scale))}.</p>`}
${table(view, series)}</figure>
`;
}

function extent(points: readonly Point[]): [number, number] | null {
  const values = points.flatMap(({ own }) => (own === null ? [] : [own]));
  if (values.length === 0) return null;
  return [values.reduce((low, value) => Math.min(low, value)), values.reduce((high, value) => Math.max(high, value))];
}

function table(view: View, { metric, interval, points, buckets }: Series): Html {
  const rows = thinPoints(points, view.limits.rows);
  const caption =
    rows.length < buckets
      ? `${rows.length} of ${plural(buckets, 'bucket')}: the extremes, what does not agree, and the ends`
      : `All ${plural(buckets, 'bucket')}`;
  return html`<details><summary>Table of ${metric}</summary><div class="wide" tabindex="0" role="region" aria-label="Values of ${metric}"><table class="values"><caption>${caption}</caption><thead><tr><th scope="col">${interval}<th scope="col" class="n">own<th scope="col" class="n">served<th scope="col">verdict</thead><tbody>${rows.map(
    (point) =>
      html`<tr><th scope="row">${bucketText(point.bucket, interval)}<td>${shownValue(point.ownText, point.covered)}<td>${point.servedText === null ? '–' : point.servedText === point.ownText ? '=' : groupDigits(point.servedText)}<td>${point.verdict ?? 'not compared'}`,
  )}</table></div></details>`;
}

/** No value and no claim are two things. */
function shownValue(text: string | null, covered: boolean): string {
  if (text !== null) return groupDigits(text);
  return covered ? 'no value' : 'not covered';
}
