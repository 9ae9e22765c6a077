import { bucketEnd, bucketStart, type Interval, intervals } from '../bucketTime.ts';

/** A stretch of time of a chain (Unix seconds): buckets of every interval that it touches are built again. */
export interface Stretch {
  readonly chain: string;
  readonly from: number;
  readonly until: number;
}

/** The buckets of one interval, from the start of the first to the end of the last (Unix seconds). */
type BucketSpan = Omit<Stretch, 'chain'>;

const day = 86_400;
/** Gaps up to this long are rebuilt needlessly, since another statement would cost more: the week and the month are read anyway. */
const bridged = 7 * day;
/**
 * Joins stretches that are close together up to the end of the month in which one of them ends. As long as a stretch is not too much
 * work, this bounds the memory of a full build; a chain with few blocks takes as few statements as it has stretches, and not one a month.
 */
export function joinStretches(stretches: readonly Stretch[]): Stretch[] {
  const sorted = [...stretches].sort((a, b) => (a.chain < b.chain ? -1 : a.chain > b.chain ? 1 : a.from - b.from));
  const joined: Stretch[] = [];
  for (const { chain, from, until } of sorted) {
    const last = joined.at(-1);
    const end = last?.chain === chain && from <= last.until + bridged ? monthAfter(last.until - 1) : from;
    if (last && from < end) joined[joined.length - 1] = { ...last, until: Math.max(last.until, Math.min(until, end)) };
    if (until > end) joined.push({ chain, from: Math.max(from, end), until });
  }
  return joined;
}

/** A stretch cut by month, where nothing else bounds its work. */
export function byMonth({ chain, from, until }: Stretch): Stretch[] {
  const starts = [from];
  for (let next = monthAfter(from); next < until; next = monthAfter(next)) starts.push(next);
  return starts.map((start, i) => ({ chain, from: start, until: starts[i + 1] ?? until }));
}

const monthAfter = (time: number) => bucketEnd('month', bucketStart('month', time));

/** The buckets of an interval that a stretch touches. */
export function bucketSpan(interval: Interval, { from, until }: Stretch): BucketSpan {
  return { from: bucketStart(interval, from), until: bucketEnd(interval, bucketStart(interval, until - 1)) };
}

/** The widest bounds over all intervals. */
export function widestSpan(stretch: Stretch): BucketSpan {
  const all = intervals.map((interval) => bucketSpan(interval, stretch));
  return { from: Math.min(...all.map(({ from }) => from)), until: Math.max(...all.map(({ until }) => until)) };
}

/** Whether a bucket is among those that stretches touch. */
export function isTouched(stretches: readonly Stretch[], chain: string, interval: Interval, bucket: number): boolean {
  return stretches.some((stretch) => {
    if (stretch.chain !== chain) return false;
    const { from, until } = bucketSpan(interval, stretch);
    return bucket >= from && bucket < until;
  });
}
