import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberEqual } from '../../src/core/numberEqual.ts';

const key = ['hash', 'value', 'position'];
const row = fc.record({
  hash: fc.constantFrom('a', 'b'),
  value: fc.constantFrom(null, 1, 2n ** 70n),
  label: fc.constantFrom('x', 'y'),
});
const text = (rows: readonly object[]) => rows.map((row) => Object.values(row).map(String).join()).sort();

test('gives each row the same number in whatever order they come', () => {
  fc.assert(
    fc.property(
      fc
        .array(row, { maxLength: 12 })
        .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
      ([rows, others]) => {
        const [some, shuffled] = [rows, others].map((list) => list.map((item) => ({ ...item, position: -1 })));
        numberEqual(some ?? [], key);
        numberEqual(shuffled ?? [], key);
        expect(text(shuffled ?? [])).toEqual(text(some ?? []));
      },
    ),
  );
});

test('tells apart by number only what the rest of the key does not', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const numbered = rows.map((item) => ({ ...item, position: -1 }));
      numberEqual(numbered, key);
      for (const { hash, value, position } of numbered) {
        const alike = numbered.filter((other) => other.hash === hash && other.value === value);
        expect(alike.map((other) => other.position).sort()).toEqual(alike.map((_, i) => i));
        expect(position).toBeLessThan(alike.length);
      }
    }),
  );
});
