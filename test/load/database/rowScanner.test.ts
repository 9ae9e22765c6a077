/** @module-tag long */
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ColumnType, duckdbType, type Row } from '../../../src/core/columns/columnType.ts';
import type { Column } from '../../../src/core/columns/table.ts';
import { Rows } from '../../../src/core/rows/rows.ts';
import { TextHeap } from '../../../src/core/rows/textHeap.ts';
import { createRowScanner } from '../../../src/load/database/rowScanner.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';

const types: readonly ColumnType[] = [
  'varchar',
  'blob',
  'varchars',
  'json',
  'boolean',
  'integer',
  'bigint',
  'ubigint',
  'decimal38',
  'double',
  'timestamp',
];
const columns = types.map((type): Column => ({ name: `c_${type}`, type, nullable: true, description: type }));

/** Lengths on both sides of the 12 bytes that stand in the entry itself. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 13 }),
  fc.string({ unit: 'binary-ascii', minLength: 11, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 200, maxLength: 300 }),
);
const within = (low: bigint, high: bigint) =>
  fc.oneof(
    fc.bigInt({ min: low, max: high }),
    fc.integer().filter((value) => BigInt(value) >= low),
    fc.constantFrom(low, high, 0),
  );
const row: fc.Arbitrary<Row> = fc.record({
  c_varchar: fc.option(text),
  c_blob: fc.option(fc.uint8Array({ maxLength: 40 })),
  c_varchars: fc.option(fc.array(text, { maxLength: 4 })),
  c_json: fc.option(text),
  c_boolean: fc.option(fc.boolean()),
  c_integer: fc.option(fc.integer()),
  c_bigint: fc.option(within(-(2n ** 63n), 2n ** 63n - 1n)),
  c_ubigint: fc.option(within(0n, 2n ** 64n - 1n)),
  c_decimal38: fc.option(within(-(10n ** 38n) + 1n, 10n ** 38n - 1n)),
  c_double: fc.option(fc.double({ noNaN: true })),
  c_timestamp: fc.option(fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000_000 + 7)),
});

/** Rows as long as a chunk of DuckDB, around it, and longer. */
const parts = fc.array(
  fc
    .tuple(fc.array(row, { minLength: 1, maxLength: 20 }), fc.constantFrom(0, 1, 7, 2047, 2048, 2049, 5000))
    .map(([some, length]) => Array.from({ length }, (_, i) => some[i % some.length] as Row)),
  { maxLength: 3 },
);

/** As DuckDB writes it: text, and bytes as hex. */
function shown(row: Row) {
  const whole = (value: unknown) => (value === null ? null : BigInt(value as number).toString());
  const { c_blob, c_double, c_timestamp } = row;
  return {
    ...row,
    c_blob:
      c_blob === null
        ? null
        : Buffer.from(c_blob as Uint8Array)
            .toString('hex')
            .toUpperCase(),
    c_bigint: whole(row['c_bigint']),
    c_double: Number.isFinite(c_double) || c_double === null ? c_double : String(c_double),
    c_ubigint: whole(row['c_ubigint']),
    c_decimal38: whole(row['c_decimal38']),
    c_timestamp: whole(c_timestamp),
  };
}

test('DuckDB reads every value of several parts as it was, row by row', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const scanner = createRowScanner(connection);
  const ddl = columns.map(({ name, type }) => `"${name}" ${duckdbType(type)}`).join(', ');
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (sent, share) => {
      const heap = new TextHeap();
      const offered = scanner.offer(
        columns,
        sent.map((rows) => {
          const part = new Rows(columns, share ? heap : new TextHeap());
          for (const row of rows) part.append(row);
          // Rows that are taken back leave nothing behind.
          for (const row of rows.slice(0, 40)) part.append(row);
          part.truncate(rows.length);
          return part;
        }),
      );
      try {
        await connection.run(`CREATE OR REPLACE TEMP TABLE stored (${ddl}, place BIGINT)`);
        // Sorted by a long text first: the text must outlive the chunk that brought it.
        await connection.run(
          `INSERT INTO stored SELECT *, row_number() OVER () FROM ${offered.from} ORDER BY c_json, c_varchar`,
        );
      } finally {
        offered.release();
        scanner.forget();
      }
      const reader = await connection.runAndReadAll(
        `SELECT * EXCLUDE (place) REPLACE (hex(c_blob) AS c_blob, epoch_us(c_timestamp) AS c_timestamp) FROM stored ORDER BY place`,
      );
      const [read, wanted] = [reader.getRowObjectsJson(), sent.flat().map(shown)];
      // The difference is worked out only where there is one: that takes its time.
      if (!isDeepStrictEqual(read, wanted)) expect(read).toEqual(wanted);
    }),
    { numRuns: fuzzRuns(40) },
  );
  connection.closeSync();
  instance.closeSync();
});
