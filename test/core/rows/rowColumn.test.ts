import { expect, test } from 'vitest';
import type { ColumnType } from '../../../src/core/columns/columnType.ts';
import { RowColumn } from '../../../src/core/rows/rowColumn.ts';

const columnOf = (type: ColumnType, capacity = 64) =>
  new RowColumn({ name: 'c', type, nullable: true, description: '' }, capacity);

test.each<[ColumnType, number, number]>([
  ['integer', -(2 ** 31), 2 ** 31 - 1],
  ['bigint', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['ubigint', 0, Number.MAX_SAFE_INTEGER],
  ['decimal38', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])('%s holds every integer from %i to %i', (type, lowest, highest) => {
  const column = columnOf(type);
  expect([column.lowest, column.highest]).toEqual([lowest, highest]);
  const near = [0, 1, 255, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];
  const held = near
    .flatMap((value) => [value, -value, -value - 1])
    .filter((value) => value >= lowest && value <= highest);
  for (const value of held) {
    // Nothing of what stood there before shows.
    column.setInteger(3, highest);
    column.setInteger(3, value);
    expect(column.integerAt(3)).toBe(value + 0);
  }
});

test.each<[ColumnType, readonly bigint[]]>([
  ['bigint', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['ubigint', [2n ** 63n, 2n ** 64n - 1n]],
  ['decimal38', [2n ** 64n, 10n ** 38n - 1n, 1n - 10n ** 38n]],
])('%s holds wider ones exactly', (type, wide) => {
  const column = columnOf(type);
  for (const value of wide) {
    column.setBigint(1, value);
    expect(column.integerAt(1)).toBe(value);
  }
});

test('rows that are taken back have no value any more, and all others have theirs', () => {
  for (let length = 0; length <= 100; length++) {
    const column = columnOf('integer', 128);
    for (let row = 0; row < 100; row++) column.setValid(row);
    column.truncate(length, 100);
    const valid = Array.from({ length: 128 }, (_, row) => row).filter((row) => column.isValid(row));
    expect(valid).toEqual(Array.from({ length }, (_, row) => row));
  }
});

test('a copy of nothing is nothing', () => {
  const column = columnOf('bigint');
  column.setInteger(0, 7);
  column.setValid(0);
  column.copy(1, column, 0);
  expect([column.isValid(1), column.integerAt(1)]).toEqual([true, 7]);
  column.copy(0, column, 2);
  expect(column.isValid(0)).toBe(false);
});

test('texts of lists go with all rows', () => {
  const column = columnOf('varchars');
  column.addItem();
  column.truncate(1, 2);
  expect(column.items?.length).toBe(1);
  column.truncate(0, 1);
  expect(column.items?.length).toBe(0);
});
