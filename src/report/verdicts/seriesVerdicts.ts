import type { VerdictCount } from '../reportData.ts';
import { countText } from '../texts/numberText.ts';
import { groupFacts, groupOf, type VerdictGroup, verdictGroups } from './verdictFacts.ts';

/** What the verdicts of one series come down to. */
export interface SeriesVerdict {
  readonly buckets: number;
  readonly counts: Readonly<Record<VerdictGroup, number>>;
  /** The worst that a settled bucket has; `waiting` only where nothing is settled. */
  readonly group: VerdictGroup;
}

type Counted = Pick<VerdictCount, 'verdict' | 'buckets'>;

export function seriesVerdict(counts: readonly Counted[]): SeriesVerdict {
  const sums = countGroups(counts);
  return {
    buckets: counts.reduce((sum, { buckets }) => sum + buckets, 0),
    counts: sums,
    group: verdictGroups.find((group) => group !== 'waiting' && sums[group] > 0) ?? 'waiting',
  };
}

/** What there is of each group, the worst first, in words: `3 differs`, `68 equal`. */
export const groupWords = (counts: Readonly<Record<VerdictGroup, number>>): string[] =>
  verdictGroups
    .filter((group) => counts[group] > 0)
    .map((group) => `${countText(counts[group])} ${groupFacts[group].word}`);

/** Buckets by group. */
export function countGroups(counts: readonly Counted[]): Record<VerdictGroup, number> {
  const sums = Object.fromEntries(verdictGroups.map((group) => [group, 0])) as Record<VerdictGroup, number>;
  for (const { verdict, buckets } of counts) sums[groupOf(verdict)] += buckets;
  return sums;
}
