import { deflateRawSync } from 'node:zlib';
import type { PagePayload } from './pagePayload.ts';
import { newestColumns } from './seriesPoints.ts';
import type { View } from './view.ts';

/**
 * What the page's script draws, deflated, as base64: a year of hours of three chains takes 300 to 400 kB, and 8 MB as JSON. Columns
 * that several series share, such as times and blocks, are there once.
 */
export function packSeries({ data, limits, chainName }: View, chains: readonly string[]): string {
  const places = new Map<string, number>();
  const place = (text: string): number => {
    const known = places.get(text) ?? places.size;
    places.set(text, known);
    return known;
  };
  const series = data.series
    .filter(({ chainId }) => chains.includes(chainId))
    .map(({ chainId, metric, interval, buckets, scale, columns }) => {
      const cut = newestColumns(columns, interval === 'hour' ? limits.hours : limits.points);
      return [
        chainId,
        metric,
        interval,
        buckets,
        scale,
        place(cut.bucket),
        place(cut.firstBlock),
        place(cut.lastBlock),
        place(cut.own),
        place(cut.served),
        place(cut.verdict),
      ] as const;
    });
  const payload: PagePayload = {
    chains: chains.map((chain) => [chain, chainName(chain)]),
    metrics: data.metrics,
    verdicts: data.verdicts
      .filter(({ chainId }) => chains.includes(chainId))
      .map(({ chainId, metric, interval, verdict, variant, scale, buckets }) => [
        chainId,
        metric,
        interval,
        verdict,
        variant,
        scale,
        buckets,
      ]),
    series,
    texts: [...places.keys()],
  };
  return deflateRawSync(JSON.stringify(payload), { level: 9 }).toString('base64');
}
