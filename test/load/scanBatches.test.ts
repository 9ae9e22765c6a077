import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ColumnType, Row } from '../../src/core/columnType.ts';
import { recordBatch } from '../../src/core/recordBatch.ts';
import type { Column } from '../../src/core/table.ts';
import { temporaryWarehouse } from './temporaryWarehouse.ts';

const types: readonly ColumnType[] = ['varchar', 'blob', 'varchars', 'json', 'integer'];
const columns = types.map((type): Column => ({ name: type, type, nullable: true, description: type }));

/** Lengths on both sides of the 12 bytes that DuckDB keeps in the entry itself. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 13 }),
  fc.string({ unit: 'binary-ascii', minLength: 11, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 200, maxLength: 300 }),
);
const row: fc.Arbitrary<Row> = fc.record({
  varchar: fc.option(text),
  blob: fc.option(fc.uint8Array({ maxLength: 40 })),
  varchars: fc.option(fc.array(text, { maxLength: 4 })),
  json: fc.option(text),
  integer: fc.option(fc.integer()),
});

/** A batch as long as a chunk of DuckDB, around it, and longer. */
const rows = fc
  .tuple(fc.array(row, { minLength: 1, maxLength: 30 }), fc.constantFrom(1, 7, 2047, 2048, 2049, 5000))
  .map(([some, length]) => Array.from({ length }, (_, i) => some[i % some.length] as Row));

test('DuckDB reads every text, list and blob of a batch as it was, row by row', { timeout: 120_000 }, async () => {
  const warehouse = await temporaryWarehouse([]);
  await fc.assert(
    fc.asyncProperty(rows, async (sent) => {
      const offered = warehouse.scanner.offer(columns, recordBatch(columns, sent));
      try {
        // Stored, and sorted by a long text first: the text must outlive the chunk that brought it.
        await warehouse.run(
          `CREATE OR REPLACE TEMP TABLE stored AS
           SELECT *, row_number() OVER () AS place FROM ${offered.from} ORDER BY json, varchar`,
        );
      } finally {
        offered.release();
      }
      const reader = await warehouse.connection.runAndReadAll(
        'SELECT "varchar", hex("blob") AS blob, "varchars", "json", "integer" FROM temp.stored ORDER BY place',
      );
      const found = reader.getRowObjectsJson();
      expect(found).toEqual(
        sent.map((cells) => ({
          ...cells,
          blob: cells['blob']
            ? Buffer.from(cells['blob'] as Uint8Array)
                .toString('hex')
                .toUpperCase()
            : null,
        })),
      );
    }),
    { numRuns: 40 },
  );
});
