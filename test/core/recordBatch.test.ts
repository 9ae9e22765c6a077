import type * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ColumnType, Row, Value } from '../../src/core/columnType.ts';
import { recordBatch } from '../../src/core/recordBatch.ts';
import type { Column } from '../../src/core/table.ts';

const column = (type: ColumnType, nullable = true): Column => ({ name: type, type, nullable, description: type });

const integers = (low: bigint, high: bigint) => fc.bigInt({ min: low, max: high }).map(asSent);

/** Safe integers travel as number, larger ones as bigint. */
const asSent = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

const string = fc.string({ unit: 'grapheme', maxLength: 30 });
const values: Record<ColumnType, fc.Arbitrary<Value>> = {
  varchar: string,
  json: string,
  varchars: fc.array(string, { maxLength: 5 }),
  boolean: fc.boolean(),
  integer: fc.integer(),
  bigint: integers(-(2n ** 63n), 2n ** 63n - 1n),
  ubigint: integers(0n, 2n ** 64n - 1n),
  decimal38: integers(-(10n ** 38n) + 1n, 10n ** 38n - 1n),
  decimal18: integers(-(10n ** 38n) + 1n, 10n ** 38n - 1n),
  timestamp: integers(-(2n ** 53n), 2n ** 60n),
  double: fc.double({ noNaN: true }),
  blob: fc.uint8Array({ maxLength: 40 }),
};
const types = Object.keys(values) as ColumnType[];

/** Reads a cell from the buffers themselves, as DuckDB does. */
function cell(data: arrow.Data, type: ColumnType, index: number): Value {
  if (data.nullCount > 0 && (((data.nullBitmap?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 0) return null;
  const offsets = data.valueOffsets as Int32Array;
  const [from, to] = [offsets?.[index] ?? 0, offsets?.[index + 1] ?? 0];
  const raw = data.values as Uint8Array | Int32Array;
  switch (type) {
    case 'varchar':
    case 'json':
      return Buffer.from((raw as Uint8Array).subarray(from, to)).toString('utf8');
    case 'blob':
      return new Uint8Array((raw as Uint8Array).subarray(from, to));
    case 'varchars':
      return Array.from({ length: to - from }, (_, i) =>
        String(cell(data.children[0] as arrow.Data, 'varchar', from + i)),
      );
    case 'boolean':
      return (((raw[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
    case 'integer':
      return raw[index] ?? null;
    case 'double':
      return new Float64Array(raw.buffer, raw.byteOffset)[index] ?? null;
    case 'decimal38':
    case 'decimal18': {
      const halves = new BigInt64Array(raw.buffer, raw.byteOffset);
      const low = BigInt.asUintN(64, halves[index * 2] ?? 0n);
      return asSent(((halves[index * 2 + 1] ?? 0n) << 64n) | low);
    }
    case 'ubigint':
      return asSent(new BigUint64Array(raw.buffer, raw.byteOffset)[index] ?? 0n);
    default:
      return asSent(new BigInt64Array(raw.buffer, raw.byteOffset)[index] ?? 0n);
  }
}

describe('recordBatch', () => {
  test.each(types)('holds %s exactly, and NULL where a member is missing', (type) => {
    const row = fc
      .option(values[type], { nil: undefined })
      .map((value): Row => (value === undefined ? {} : { [type]: value }));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 70 }), (rows) => {
        const batch = recordBatch([column(type)], rows);
        const data = batch.data.children[0] as arrow.Data;
        expect(batch.numRows).toBe(rows.length);
        expect(rows.map((_, i) => cell(data, type, i))).toEqual(rows.map((sent) => sent[type] ?? null));
      }),
    );
  });

  test('refuses a missing value where the column must have one', () => {
    expect(() => recordBatch([column('varchar', false)], [{ varchar: 'a' }, {}])).toThrow(
      /column varchar must have a value, row 1/,
    );
  });

  test.each<[ColumnType, Value, RegExp]>([
    ['varchar', 5, /takes text, got number/],
    ['bigint', '5', /takes an integer, got string/],
    ['decimal38', true, /takes an integer, got boolean/],
    ['varchars', 'a', /takes a list, got string/],
    ['blob', 'ab', /takes bytes, got string/],
  ])('refuses what does not fit %s', (type, value, message) => {
    expect(() => recordBatch([column(type)], [{ [type]: value }])).toThrow(message);
  });

  test('takes long text that outgrows its first buffer', () => {
    const text = 'é🏔'.repeat(50_000);
    const batch = recordBatch([column('varchar')], [{ varchar: 'a' }, { varchar: text }, { varchar: '' }]);
    expect(cell(batch.data.children[0] as arrow.Data, 'varchar', 1)).toBe(text);
  });
});
