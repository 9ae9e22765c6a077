import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Row } from '../../../src/core/columns/columnType.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { numberEqual } from '../../../src/core/rows/numberEqual.ts';
import { Rows } from '../../../src/core/rows/rows.ts';

const key = ['hash', 'value', 'position'];
const row = fc.record({
  hash: fc.constantFrom('a', 'b'),
  value: fc.constantFrom(null, 1, 2n ** 70n),
  label: fc.constantFrom('x', 'y'),
});
const text = (rows: readonly object[]) => rows.map((row) => Object.values(row).map(String).join()).sort();

const columns = [
  ownColumn('hash', 'varchar'),
  ownColumn('value', 'decimal38', true),
  ownColumn('label', 'varchar'),
  ownColumn('position', 'integer', true),
];
const numbered = (objects: readonly Row[]) => {
  const rows = new Rows(columns);
  for (const object of objects) rows.append(object);
  numberEqual(rows, key);
  return rows.toObjects();
};

test('gives each row the same number in whatever order they come', () => {
  fc.assert(
    fc.property(
      fc
        .array(row, { maxLength: 12 })
        .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
      ([rows, others]) => {
        expect(text(numbered(others))).toEqual(text(numbered(rows)));
      },
    ),
  );
});

test('tells apart by number only what the rest of the key does not', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const all = numbered(rows);
      for (const { hash, value, position } of all) {
        const alike = all.filter((other) => other['hash'] === hash && other['value'] === value);
        expect(alike.map((other) => other['position']).sort()).toEqual(alike.map((_, i) => i));
        expect(position).toBeLessThan(alike.length);
      }
    }),
  );
});
