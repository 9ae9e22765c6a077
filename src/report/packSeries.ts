import { deflateRawSync } from 'node:zlib';
import type { PagePayload } from './pagePayload.ts';
import { mapColumns, newestColumns } from './seriesPoints.ts';
import type { View } from './view.ts';

/**
 * What the page's script draws, deflated, as base64: a year of hours of three chains takes 300 to 400 kB, and 8 MB as JSON. Columns
 * that several series share, such as times and blocks, are there once.
 */
export function packSeries({ data, limits, drawn, chainName }: View): string {
  const places = new Map<string, number>();
  const place = (text: string): number => {
    const known = places.get(text) ?? places.size;
    places.set(text, known);
    return known;
  };
  const isShown = ({ chainId }: { readonly chainId: string }) => drawn.includes(chainId);
  const series = data.series.filter(isShown).map((one) => {
    const cut = newestColumns(one.columns, one.interval === 'hour' ? limits.hours : limits.points);
    return { ...one, columns: mapColumns(cut, place) };
  });
  const payload: PagePayload = {
    generatedAt: data.generatedAt,
    chains: drawn.map((chain) => [chain, chainName(chain)]),
    metrics: data.metrics,
    verdicts: data.verdicts.filter(isShown),
    series,
    texts: [...places.keys()],
  };
  return deflateRawSync(JSON.stringify(payload), { level: 9 }).toString('base64');
}
