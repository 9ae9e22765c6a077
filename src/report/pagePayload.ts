import type { MetricFacts } from './metricIndex.ts';

/** What a page's script is given beside the markup; tuples, since there are many. */
export interface PagePayload {
  /** Id and name. */
  readonly chains: readonly (readonly [string, string])[];
  readonly metrics: readonly MetricFacts[];
  /** Chain, metric, interval, verdict, variant, scale, buckets. */
  readonly verdicts: readonly (readonly [string, string, string, string, string | null, string | null, number])[];
  /** Chain, metric, interval, buckets, scale, and the places of the columns bucket, firstBlock, lastBlock, own, served, verdict in `texts`. */
  readonly series: readonly (readonly [
    string,
    string,
    string,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ])[];
  readonly texts: readonly string[];
}
