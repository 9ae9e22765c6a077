import { expect, test } from 'vitest';
import { seriesVerdict } from '../../../src/report/verdicts/seriesVerdicts.ts';
import { bucketFacts, isExplained, verdictFacts } from '../../../src/report/verdicts/verdictFacts.ts';

test('a bucket that is covered and has no number for its length is not told to read missing blocks', () => {
  const { group, meaning, todo } = bucketFacts({ covered: true, verdict: 'own_incomplete' });
  expect(group).toBe('own');
  expect(meaning).toContain('more than 38 digits');
  expect(todo).toMatch(/^Nothing\./);
});

test.each([
  { covered: false, verdict: 'own_incomplete' },
  { covered: true, verdict: 'differs' },
])('any other bucket has what its verdict says: %o', (point) => {
  expect(bucketFacts(point)).toEqual(verdictFacts(point.verdict));
});

test('what is not settled yet neither counts for a series that has settled buckets, nor needs an explanation', () => {
  const counts = [
    { verdict: 'served_provisional', buckets: 3 },
    { verdict: 'equal', buckets: 1 },
  ];
  expect(seriesVerdict(counts).group).toBe('agrees');
  expect(seriesVerdict(counts.slice(0, 1)).group).toBe('waiting');
  expect(['served_provisional', 'equal', 'differs', 'unheard_of'].map(isExplained)).toEqual([false, false, true, true]);
});
