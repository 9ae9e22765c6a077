/** @module-tag long */
import { expect, test } from 'vitest';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { temporaryWarehouse } from '../warehouse.ts';

/** Builds, and counts the statements, the rows that the look at coverage brought, and those of it that were written. */
async function build(warehouse: Warehouse): Promise<{ statements: number; coverage: number; written: number }> {
  const seen = { statements: 0, coverage: 0, written: 0 };
  const transaction: Warehouse['transaction'] = (work, ...rest) =>
    warehouse.transaction(
      (tx) =>
        work({
          ...tx,
          run: async (sql, values) => {
            seen.statements++;
            const rows = await tx.run(sql, values);
            if (sql.startsWith('INSERT INTO firn.coverage')) seen.written += rows;
            return rows;
          },
          query: async <R extends object = Record<string, unknown>>(
            sql: string,
            values?: Parameters<typeof tx.query>[1],
          ) => {
            const rows = await tx.query<R>(sql, values);
            if (sql.includes('firn_coverage_before')) seen.coverage += rows.length;
            return rows;
          },
        }),
      ...rest,
    );
  await buildModels({ ...warehouse, transaction });
  return seen;
}

test('a quiet chain that comes to others takes as many statements for years as for weeks', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  await loadMadeUp(warehouse, '1', madeUpChain(1, 3));
  await build(warehouse);
  const seen = [];
  for (const [chain, length] of [
    ['2', 6],
    ['3', 60],
  ] as const) {
    // Every second block, as of a service that gives only those with a transaction; ten days lie between them.
    const blocks = madeUpChain(2, 2 * length).filter(({ number }) => number % 2 === 1);
    const quiet = blocks.map((block, i) => ({ ...block, time: Date.UTC(2024, 0, 5) / 1000 + i * 10 * 86_400 }));
    await loadMadeUp(warehouse, chain, quiet);
    seen.push(await build(warehouse));
  }
  const days = await warehouse.query<{ held: bigint }>(
    `SELECT count(*) AS held FROM mart.metric WHERE metric = 'txCount' AND time_interval = 'day' AND chain_id = '3'`,
  );
  await dispose();
  expect(days).toEqual([{ held: 591n }]);
  expect(seen[1]?.statements).toBe(seen[0]?.statements);
  expect(seen[1]?.coverage).toBe(0);
});

test('a block of one chain has the coverage of that chain alone written again', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  const blocks = madeUpChain(1, 40);
  await loadMadeUp(warehouse, '1', blocks);
  await loadMadeUp(warehouse, '2', blocks.slice(0, -1));
  await build(warehouse);
  await loadMadeUp(warehouse, '2', blocks.slice(-1));
  const { written } = await build(warehouse);
  const held = await warehouse.query<{ rows: bigint }>(
    'SELECT count(*) AS "rows" FROM firn.coverage GROUP BY chain_id ORDER BY chain_id',
  );
  await dispose();
  expect(held.map(({ rows }) => Number(rows))).toEqual([written, written]);
});
