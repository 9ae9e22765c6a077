import type { VerdictName } from '../../transform/verdict/series.ts';
import type { PlottedPoint } from '../reportData.ts';

/** The groups in which people see verdicts, worst first. */
export const verdictGroups = ['differs', 'explained', 'served', 'own', 'rounded', 'waiting', 'agrees'] as const;
export type VerdictGroup = (typeof verdictGroups)[number];

/** One group: its word, and what it says in the legend. */
export const groupFacts: Readonly<Record<VerdictGroup, { readonly word: string; readonly meaning: string }>> = {
  agrees: { word: 'equal', meaning: 'recomputed and served values agree' },
  rounded: {
    word: 'rounded',
    meaning: 'the served value is the recomputed one, with fewer decimals',
  },
  waiting: { word: 'provisional', meaning: 'served, but not settled yet: the newest buckets still change' },
  own: {
    word: 'not covered',
    meaning: 'the blocks, receipts or traces it needs are not all held, or it has more than 38 digits',
  },
  served: { word: 'not served', meaning: 'the service left it out, or left most of it out' },
  explained: {
    word: 'explained',
    meaning: 'differs in a way that fits the whole series: another reading, unit or offset',
  },
  differs: { word: 'differs', meaning: 'settled, covered, and not the same number' },
};

interface VerdictFacts {
  readonly group: VerdictGroup;
  readonly meaning: string;
  readonly todo: string;
}

const facts: Readonly<Record<VerdictName, VerdictFacts>> = {
  equal: { group: 'agrees', meaning: 'Both numbers have the same digits.', todo: 'Nothing.' },
  equal_rounded: {
    group: 'rounded',
    meaning:
      'The served value is the recomputed one, rounded to the decimals that the served series shows. Where rounding leaves nothing but 0, the bucket differs.',
    todo: 'Use the recomputed value where more decimals matter.',
  },
  equal_as_double: {
    group: 'agrees',
    meaning: 'Both are the same double: above 2^53 the service cannot send every digit.',
    todo: 'Nothing. Use the recomputed value where every digit matters.',
  },
  equal_delta: {
    group: 'agrees',
    meaning:
      'The history held here begins late or has a hole, so levels cannot be compared; the daily differences agree.',
    todo: 'Nothing. Read the chain whole, from its genesis, to compare levels too.',
  },
  offset_constant: {
    group: 'explained',
    meaning: 'The levels differ by the same amount in every bucket; the differences from bucket to bucket agree.',
    todo: 'Use differences from day to day, or subtract the offset. Most often something was counted before the first block.',
  },
  variant_match: {
    group: 'explained',
    meaning: 'The whole served series follows another reading of the definition.',
    todo: 'Decide which reading you need: `firn reconcile --explain` of a bucket prints SQL that gives the other one. `no_value_as_zero` is not another reading: the service serves 0 where there is no value. Keep the recomputed NULL.',
  },
  scale_match: {
    group: 'explained',
    meaning: 'The whole served series is in another unit.',
    todo: 'Multiply served values by the factor before you compare or add them.',
  },
  served_provisional: {
    group: 'waiting',
    meaning:
      'The bucket is not settled: no newer one is served, or it ended less than 72 hours before the newest block and no two answers a day apart agree on it; or the newest block held lies in it, so that more may follow.',
    todo: 'Nothing, unless its note says otherwise: later runs read on and decide.',
  },
  served_week_underfilled: {
    group: 'served',
    meaning: 'The served week is closed and holds fewer days than it should.',
    todo: 'Do not use served weeks; take the recomputed one. Weeks never fail a run.',
  },
  served_empty: {
    group: 'served',
    meaning:
      'The service answers without a value where there is one, or what it gives of the whole series cannot be read and is in quarantine.',
    todo: 'Use the recomputed value. Complete months appear some days after they end; anything else is worth a report to the service.',
  },
  served_missing: {
    group: 'served',
    meaning:
      'The service has newer buckets, but not this one: it never came, was withdrawn (the note has the last served value), or cannot be read and is in quarantine.',
    todo: 'Use the recomputed value, and report the hole to the service.',
  },
  own_incomplete: {
    group: 'own',
    meaning:
      'Not every block, receipt, log, trace or price that this metric counts is held, so no number is claimed; or no block after the bucket is held yet, which would show that none is missing; or the value has more than 38 digits, which its note says.',
    todo: 'Nothing where the bucket begins after the newest block held: the chain is quiet, or the next run reads on. Else look at the coverage: read the missing blocks (`firn plan` says how much that is), or use a node that offers traces, or tells the price of every transaction. A value of more than 38 digits lacks nothing, and neither does a bucket before the one of block 1, as its note says: the served value is not compared there.',
  },
  no_own: {
    group: 'own',
    meaning: 'An aggregate over many chains: it cannot be recomputed from the chains held here.',
    todo: 'Nothing. It is kept as served.',
  },
  differs: {
    group: 'differs',
    meaning: 'Everything the metric counts is held, the served value is settled, and the two are not the same number.',
    todo: 'Look at the blocks with `firn reconcile --explain`. If they are right, the served value is wrong: report it with that output.',
  },
};

const overflowing: VerdictFacts = {
  group: 'own',
  meaning: 'Everything this metric counts is held; its value has more than 38 digits, and is not compared.',
  todo: 'Nothing. The rows that count most have every digit.',
};

/** Every verdict there is. */
export const verdicts: readonly string[] = Object.keys(facts);

/** What a verdict means and what to do about it. An unknown one counts as a difference. */
export function verdictFacts(verdict: string): VerdictFacts {
  return (
    facts[verdict as VerdictName] ?? {
      group: 'differs',
      meaning: `This version of the report does not know the verdict ${verdict}.`,
      todo: 'Make the report with the version of firn that wrote the warehouse.',
    }
  );
}

/** Whether a bucket has no number to compare because that has more than 38 digits: nothing that it counts is missing. */
export const overflows = ({ covered, verdict }: Pick<PlottedPoint, 'covered' | 'verdict'>): boolean =>
  covered && verdict === 'own_incomplete';

/** What the verdict of a bucket that was compared means, and what to do about it. */
export const bucketFacts = (point: Pick<PlottedPoint, 'covered' | 'verdict'>): VerdictFacts =>
  overflows(point) ? overflowing : verdictFacts(point.verdict ?? 'equal');

/** The group of a verdict. */
export const groupOf = (verdict: string): VerdictGroup => verdictFacts(verdict).group;

/** Whether the report explains a verdict bucket by bucket: nothing is wrong with what agrees, or is not settled yet. */
export const isExplained = (verdict: string): boolean => !['agrees', 'waiting'].includes(groupOf(verdict));

/** The verdicts that agree. */
export const agreeingVerdicts: readonly string[] = Object.keys(facts).filter(
  (verdict) => groupOf(verdict) === 'agrees',
);
