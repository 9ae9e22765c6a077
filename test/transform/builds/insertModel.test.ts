/** @module-tag long */
import { expect, test } from 'vitest';
import { insertModel } from '../../../src/transform/builds/insertModel.ts';
import type { PlacedModel } from '../../../src/transform/models/model.ts';
import { temporaryWarehouse } from '../warehouse.ts';

test('many small INSERTs of one transaction hold no memory each', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  const columns = Array.from({ length: 14 }, (_, i) => `CAST(a + ${i} AS VARCHAR) AS c${i}`).join(', ');
  const sql = `SELECT ${columns} FROM range(10) AS r (a) GROUP BY a -- in any order`;
  await warehouse.run(`SET threads = 2; CREATE TABLE mart.small AS ${sql}\nWITH NO DATA`);
  const held = await warehouse.transaction(async (tx) => {
    for (let i = 0; i < 100; i++)
      expect(await insertModel(tx, { name: 'mart.small', sql } as unknown as PlacedModel)).toBe(10);
    return tx.query<{ mb: bigint }>(
      `SELECT CAST(memory_usage_bytes // 1000000 AS BIGINT) AS mb FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'`,
    );
  });
  await dispose();
  expect(held[0]?.mb).toBeLessThan(10n);
});
