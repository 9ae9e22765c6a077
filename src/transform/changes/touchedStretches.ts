import { bucketStart, secondsOf } from '../bucketTime.ts';
import { byMonth, joinStretches, type Stretch } from './bucketStretches.ts';
import type { CoverageChanges } from './coverageChanges.ts';
import type { DirtyRange } from './dirtyRanges.ts';

/** What changed hours mean for buckets. */
export interface TouchedStretches {
  stretches: readonly Stretch[];
  /** The first day by chain from which cumulative levels changed, Unix seconds. */
  readonly cumulativeFrom: Map<string, number>;
}

/**
 * The stretches of time that ranges touch.
 *
 * @param past ranges of which nobody knows how much work they are
 */
export function touchedStretches(ranges: readonly DirtyRange[], past: readonly DirtyRange[] = []): TouchedStretches {
  // Genesis has no bucket.
  const counted = ranges.filter(({ first, last }) => first !== 0n || last !== 0n);
  // Days without a block that follow the past are in no range, and have their rows.
  const reaching = (one: DirtyRange): DirtyRange => {
    const [next] = ranges.flatMap(({ chain, from }) => (chain === one.chain ? from : [])).sort();
    return { ...one, until: next ?? one.until };
  };
  const stretches = [...past.map(reaching).map(stretchOf).flatMap(byMonth), ...counted.map(stretchOf)];
  const cumulativeFrom = new Map<string, number>();
  for (const { chain, from } of stretches) noteFirst(cumulativeFrom, chain, bucketStart('day', from));
  return { stretches: joinStretches(stretches), cumulativeFrom };
}

const stretchOf = ({ chain, from, until }: DirtyRange): Stretch => ({
  chain,
  from: secondsOf(from),
  until: secondsOf(until),
});

/** Adds what else is touched. */
export function addTouched(to: TouchedStretches, { stretches, cumulativeFrom }: CoverageChanges): void {
  to.stretches = joinStretches([...to.stretches, ...stretches]);
  for (const [chain, day] of cumulativeFrom) noteFirst(to.cumulativeFrom, chain, day);
}

/** Notes a day of a chain unless an earlier one is noted. */
function noteFirst(first: Map<string, number>, chain: string, day: number): void {
  first.set(chain, Math.min(first.get(chain) ?? day, day));
}
