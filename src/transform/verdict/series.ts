import type { Interval } from '../bucketTime.ts';
import type { Ratio } from './ratio.ts';

export type VerdictName =
  | 'equal'
  | 'equal_rounded'
  | 'equal_as_double'
  | 'offset_constant'
  | 'equal_delta'
  | 'variant_match'
  | 'scale_match'
  | 'served_provisional'
  | 'served_week_underfilled'
  | 'served_empty'
  | 'served_missing'
  | 'own_incomplete'
  | 'no_own'
  | 'differs';

interface OwnNumber {
  /** Null where there is none, and where it overflows. */
  readonly value: Ratio | null;
  readonly covered: boolean;
  /** Whether it needs more than 38 digits, which nothing here holds: it is not compared. */
  readonly overflows: boolean;
  readonly open: boolean;
}

/** One bucket of a series with both numbers. */
export interface Point {
  /** Start of the bucket, Unix seconds. */
  readonly bucket: number;
  /** The recomputed number. Undefined where the bucket has no row. */
  readonly own: OwnNumber | undefined;
  /** Whether it lies before the bucket of block 1, in which the history that is held begins. */
  readonly isBeforeBlock1?: boolean;
  /** The served number: its digits, and their exact value (null where null was served, or no number). Undefined where nothing was. */
  readonly served: { readonly text: string | null; readonly value: Ratio | null } | undefined;
  /** What was served last of a bucket that is not served any more: its digits, null where null was. Undefined for any other. */
  readonly withdrawn?: string | null | undefined;
  /** Whether the served side is settled at this bucket. */
  readonly settled: boolean;
  /** Whether nothing is served of it, nor of later ones, though it ended long ago. */
  readonly stalled?: boolean;
  /** The recomputed change since the bucket before, where the level itself is not known (a cumulative metric that starts late). */
  readonly ownDelta?: Ratio | undefined;
}

/** One chain, metric and interval. */
export interface Series {
  readonly metric: string;
  readonly interval: Interval;
  /** For a level that grows since genesis: whether it adds up the days or counts distinct things. Null for any other metric. */
  readonly growth: 'sum' | 'distinct' | null;
  /** Ascending. */
  readonly points: readonly Point[];
  /** Totals over several chains have no recomputed counterpart. */
  readonly isAggregate: boolean;
}

/** Values of another reading of the metric, by bucket; undefined where it is not covered. */
export type VariantReading = (bucket: number) => { readonly value: Ratio | null } | undefined;

export interface Verdict {
  readonly verdict: VerdictName;
  readonly variant?: string;
  readonly scale?: bigint;
  readonly note?: string;
  /** Whether daily differences were compared, in place of levels. */
  readonly byDifference?: true;
}
