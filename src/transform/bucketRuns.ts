import { bucketEnd, bucketStart, type Interval, intervals } from './bucketTime.ts';

/** Consecutive buckets of a chain and an interval, from the start of the first to the end of the last (Unix seconds). */
export interface BucketRun {
  readonly chain: string;
  readonly interval: Interval;
  readonly from: number;
  readonly until: number;
}

/** A stretch of time of a chain (Unix seconds). */
export interface Stretch {
  readonly chain: string;
  readonly from: number;
  readonly until: number;
}

/** Buckets that one statement works on; it bounds the memory of a full build. */
const atOnce = { hour: 92 * 24, day: 366, week: 14, month: 3 } as const;

/** The buckets of every interval that stretches of time touch. */
export function bucketRuns(stretches: readonly Stretch[]): BucketRun[] {
  return intervals.flatMap((interval) =>
    joinRuns(
      stretches.map(({ chain, from, until }) => ({
        chain,
        interval,
        from: bucketStart(interval, from),
        until: bucketEnd(interval, bucketStart(interval, until - 1)),
      })),
    ),
  );
}

/** Runs that touch or overlap become one, as long as it is not too long. */
export function joinRuns(runs: readonly BucketRun[]): BucketRun[] {
  const sorted = [...runs].sort(
    (a, b) => compare(a.chain, b.chain) || compare(a.interval, b.interval) || a.from - b.from,
  );
  const joined: BucketRun[] = [];
  for (const run of sorted) {
    const last = joined.at(-1);
    if (last?.chain === run.chain && last.interval === run.interval && run.from <= last.until) {
      joined[joined.length - 1] = { ...last, until: Math.max(last.until, run.until) };
    } else {
      joined.push(run);
    }
  }
  return joined.flatMap(cut);
}

function cut(run: BucketRun): BucketRun[] {
  const parts: BucketRun[] = [];
  for (let from = run.from; from < run.until; ) {
    let until = from;
    for (let count = 0; count < atOnce[run.interval] && until < run.until; count++)
      until = bucketEnd(run.interval, until);
    parts.push({ ...run, from, until });
    from = until;
  }
  return parts;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
