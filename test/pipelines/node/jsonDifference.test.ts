import { expect, test } from 'vitest';
import { jsonDifference } from '../../../pipelines/node/jsonDifference.ts';

test.each([
  ['a longer list', { txs: [1, 2] }, { txs: [1] }, 'txs.length: 2, 1'],
  ['a shorter list', { txs: [1] }, { txs: [1, 2] }, 'txs.length: 1, 2'],
  ['the first of several', { a: { b: [1, { c: 2, d: 4 }] } }, { a: { b: [1, { c: 3, d: 5 }] } }, 'a.b[1].c: 2, 3'],
  ['a bigint beside its digits', { a: 18446744073709551615n, b: [] }, { a: '18446744073709551615', b: [] }, undefined],
  ['members that one side alone has', { a: 1, ours: 2 }, { a: 1, theirs: 3 }, undefined],
])('what is said of %s', (_, ours, theirs, difference) => {
  expect(jsonDifference(ours, theirs)).toBe(difference);
});
