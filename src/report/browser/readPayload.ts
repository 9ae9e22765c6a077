import { intervals } from '../../transform/bucketTime.ts';
import { type MetricIndex, metricIndex } from '../metricIndex.ts';
import type { PagePayload } from '../pagePayload.ts';
import type { PlottedPoint, VerdictCount } from '../reportData.ts';
import { seriesPoints } from '../seriesPoints.ts';

/** A series as the page shows it. */
export interface ShownSeries {
  readonly chain: string;
  readonly metric: string;
  readonly interval: string;
  /** Buckets of the whole series; `points` holds the newest of them. */
  readonly buckets: number;
  readonly scale: number;
  readonly points: readonly PlottedPoint[];
}

export type ShownVerdict = Omit<VerdictCount, 'firstBucket' | 'lastBucket'>;

/** The data that the page draws. */
export interface Payload {
  readonly chains: readonly (readonly [string, string])[];
  readonly metrics: MetricIndex;
  readonly verdicts: readonly ShownVerdict[];
  /** Intervals of a chain, in order. */
  intervals(chain: string): string[];
  /** Series of a chain and interval, in the order of the documentation. */
  series(chain: string, interval: string): ShownSeries[];
}

/** Unpacks the data embedded in the page; null where there is none. */
export async function readPayload(): Promise<Payload | null> {
  const text = document.getElementById('payload')?.textContent;
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const { chains, metrics: facts, verdicts, series, texts } = (await new Response(stream).json()) as PagePayload;
  const metrics = metricIndex(facts);
  const column = (place: number) => texts[place] ?? '';
  const kept = new Map<string, ShownSeries[]>();
  return {
    chains,
    metrics,
    verdicts: verdicts.map(([chainId, metric, interval, verdict, variant, scale, buckets]) => ({
      chainId,
      metric,
      interval,
      verdict,
      variant,
      scale,
      buckets,
    })),
    intervals: (chain) => intervals.filter((interval) => series.some(([of, , at]) => of === chain && at === interval)),
    series(chain, interval) {
      const key = `${chain} ${interval}`;
      const known =
        kept.get(key) ??
        series
          .filter(([of, , at]) => of === chain && at === interval)
          .map(([, metric, , buckets, scale, bucket, firstBlock, lastBlock, own, served, verdict]) => ({
            chain,
            metric,
            interval,
            buckets,
            scale,
            points: seriesPoints({
              columns: {
                bucket: column(bucket),
                firstBlock: column(firstBlock),
                lastBlock: column(lastBlock),
                own: column(own),
                served: column(served),
                verdict: column(verdict),
              },
            }),
          }))
          .sort((a, b) => metrics.compare(a.metric, b.metric));
      kept.set(key, known);
      return known;
    },
  };
}
