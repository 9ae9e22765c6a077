import { expect, test } from 'vitest';
import { emptyText } from '../../../src/core/input/emptyText.ts';

test.each<[unknown, readonly PropertyKey[] | undefined]>([
  ['', []],
  [' \t', []],
  [{ a: 1, b: ['x', ''] }, ['b', 1]],
  [{ a: { b: ['x,'] } }, ['a', 'b', 0]],
  [{ a: ['x, y', 'z'], b: null, c: 0, d: [], e: false }, undefined],
  [undefined, undefined],
])('of %j it is %j', (value, path) => {
  expect(emptyText(value)).toEqual(path);
});
