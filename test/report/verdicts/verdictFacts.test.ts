import { expect, test } from 'vitest';
import { bucketFacts, verdictFacts } from '../../../src/report/verdicts/verdictFacts.ts';

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
