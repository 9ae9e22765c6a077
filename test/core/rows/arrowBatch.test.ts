import { type Decimal, TimestampMicrosecond } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ColumnType, Row, Value } from '../../../src/core/columns/columnType.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { arrowBatch } from '../../../src/core/rows/arrowBatch.ts';
import { Rows } from '../../../src/core/rows/rows.ts';

const integer = (bits: number) => fc.bigInt({ min: -(2n ** BigInt(bits)), max: 2n ** BigInt(bits) - 1n });
const values: Record<ColumnType, fc.Arbitrary<Value>> = {
  varchar: fc.string({ unit: 'grapheme', maxLength: 40 }),
  varchars: fc.array(fc.string({ maxLength: 20 }), { maxLength: 3 }),
  json: fc.json(),
  boolean: fc.boolean(),
  integer: fc.integer(),
  bigint: integer(63),
  ubigint: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  decimal38: integer(126),
  decimal18: integer(126),
  double: fc.double({ noNaN: true }),
  timestamp: fc.integer({ min: 0, max: 2 ** 50 }),
  blob: fc.uint8Array({ maxLength: 40 }),
};
const columns = Object.keys(values).map((type) => ownColumn(type, type as ColumnType, true));
const row = fc.record(
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.option(value)])),
) as fc.Arbitrary<Row>;

/** A value as the test wrote it, from the one that Arrow gives. */
function plain(name: string, value: unknown): unknown {
  if (value === null) return null;
  if (name.startsWith('decimal')) {
    const words = value as Uint32Array;
    return BigInt.asIntN(
      128,
      words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
    );
  }
  if (name === 'varchars') return [...(value as Iterable<string>)];
  if (name === 'timestamp') return Math.round(Number(value) * 1000);
  return value;
}

test('Arrow reads every column as it was written', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 70 }), fc.nat({ max: 3 }), (objects, taken) => {
      const rows = new Rows(columns);
      for (const object of objects) rows.append(object);
      // Rows that were taken back leave no trace.
      for (let i = 0; i < taken; i++) rows.append(objects[0] ?? {});
      rows.truncate(objects.length);
      const batch = arrowBatch(rows);
      expect(batch.numRows).toBe(objects.length);
      for (const { name } of columns) {
        const read = [...(batch.getChild(name) ?? [])].map((value) => plain(name, value));
        expect([name, read]).toEqual([name, objects.map((object) => object[name] ?? null)]);
      }
    }),
  );
});

test('the types say scale and unit', () => {
  const { schema } = arrowBatch(new Rows(columns));
  const type = (name: string) => schema.fields.find((field) => field.name === name)?.type;
  expect([type('decimal38'), type('decimal18')].map((decimal) => (decimal as Decimal).scale)).toEqual([0, 18]);
  expect(type('timestamp')).toBeInstanceOf(TimestampMicrosecond);
});
