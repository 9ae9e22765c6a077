import { expect, test } from 'vitest';
import { groupBy } from '../../src/core/groupBy.ts';

test('groups come in the order of their first items, and items in theirs', () => {
  expect([...groupBy(['b1', 'a2', 'b3', 'c4'], (text) => text[0])]).toEqual([
    ['b', ['b1', 'b3']],
    ['a', ['a2']],
    ['c', ['c4']],
  ]);
  expect(groupBy(new Map([[1, true]]), ([key]) => key).get(1)).toEqual([[1, true]]);
});
