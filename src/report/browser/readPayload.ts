import { intervals } from '../../transform/bucketTime.ts';
import { type MetricIndex, metricIndex } from '../metricIndex.ts';
import type { PagePayload } from '../pagePayload.ts';
import type { PlottedPoint, PlottedSeries, VerdictCount } from '../reportData.ts';
import { mapColumns, pointsUntil, seriesPoints } from '../seriesPoints.ts';

/** A series as the page shows it. */
export interface ShownSeries extends Omit<PlottedSeries, 'columns'> {
  /** Its newest buckets. */
  readonly points: readonly PlottedPoint[];
  /** Those of them that are drawn: none that lies ahead. */
  readonly drawn: readonly PlottedPoint[];
}

/** The data that the page draws. */
export interface Payload {
  readonly chains: readonly (readonly [string, string])[];
  readonly metrics: MetricIndex;
  /** Verdicts of a series. */
  verdicts(chain: string, metric: string, interval: string): VerdictCount[];
  /** Intervals of a chain, in order. */
  intervals(chain: string): string[];
  /** Series of a chain and interval, in the order of the documentation. */
  series(chain: string, interval: string): ShownSeries[];
}

/** Unpacks the data embedded in the page; null where there is none. */
export async function readPayload(): Promise<Payload | null> {
  const text = document.getElementById('payload')?.textContent;
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const payload = (await new Response(stream).json()) as PagePayload;
  const { generatedAt, chains, metrics: facts, verdicts, series, texts } = payload;
  const metrics = metricIndex(facts);
  const isOf = (chain: string, interval: string) => (one: { readonly chainId: string; readonly interval: string }) =>
    one.chainId === chain && one.interval === interval;
  const kept = new Map<string, ShownSeries[]>();
  return {
    chains,
    metrics,
    verdicts: (chain, metric, interval) =>
      verdicts.filter((count) => count.metric === metric && isOf(chain, interval)(count)),
    intervals: (chain) => intervals.filter((interval) => series.some(isOf(chain, interval))),
    series(chain, interval) {
      const key = `${chain} ${interval}`;
      const known =
        kept.get(key) ??
        series
          .filter(isOf(chain, interval))
          .map(({ columns, ...one }) => {
            const points = seriesPoints({ columns: mapColumns(columns, (place) => texts[place] ?? '') });
            return { ...one, points, drawn: pointsUntil(points, generatedAt) };
          })
          .sort((a, b) => metrics.compare(a.metric, b.metric));
      kept.set(key, known);
      return known;
    },
  };
}
