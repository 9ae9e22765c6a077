/** @module-tag long */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/load/state/warehouse.ts';
import { publishedTables } from '../../../src/publish/files/publishedTables.ts';
import { findUnits } from '../../../src/publish/files/units.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { layouts, sampleWarehouse } from '../sampleWarehouse.ts';

test('rows that came after a state was restored are published, also where their loads have the ids of those that were lost', async () => {
  const { folder, close } = await sampleWarehouse();
  close();
  const publishAfter = async (run: string) => {
    const warehouse = await openWarehouse({ folder, tables: [] });
    await warehouse.run(
      `INSERT INTO firn.load BY NAME (SELECT 900 AS load_id, '${run}' AS run_id, 'node/evm_blocks' AS stream, '' AS "partition",
         1 AS pages, 1 AS rows_in, 1 AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at);
       UPDATE raw.node_evm_blocks SET note = '${run}', _load_id = 900 WHERE "number" = 5`,
    );
    await publish(warehouse, { runId: run, layouts });
    warehouse.close();
  };
  const [state, backup] = [join(folder, '.state'), join(folder, 'backup')];
  await cp(state, backup, { recursive: true });
  await publishAfter('lost');
  await rm(state, { recursive: true });
  await cp(backup, state, { recursive: true });
  await publishAfter('now');
  const reader = await openReader(folder);
  expect(await reader.query('SELECT DISTINCT note FROM raw.node_evm_blocks WHERE "number" = 5')).toEqual([
    { note: 'now' },
  ]);
  reader.close();
});

test('whether rows changed is told from the loads that brought them, not from those of all runs', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(
    `INSERT INTO firn.load BY NAME SELECT range AS load_id, 'r' || range // 10 AS run_id, 'node/evm_blocks' AS stream, '' AS "partition",
       1 AS pages, 1 AS rows_in, 1 AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at FROM range(200_000);
     CREATE TABLE raw.few AS SELECT 199_000 + range AS n, 199_000 + range AS _load_id FROM range(9)`,
  );
  const asked: string[] = [];
  const query: Warehouse['query'] = (sql, ...values) => {
    asked.push(sql);
    return warehouse.query(sql, ...values);
  };
  const [table] = (await publishedTables(warehouse)).filter(({ name }) => name === 'few');
  if (!table) throw new Error('raw.few is not there');
  const item = { table, layout: { sort: ['n'] }, columns: [] };
  const options = { maxRows: 1e6, fileBytes: 1e6, stateId: '', before: [], news: null, measure: async () => 1 };
  await findUnits({ query }, item, options);
  const [plan] = await warehouse.query<{ explain_value: string }>(`EXPLAIN (ANALYZE, FORMAT json) ${asked[0]}`);
  const scanned = scannedIn(JSON.parse(plan?.explain_value ?? '{}'));
  expect(scanned).toBeGreaterThan(9);
  expect(scanned).toBeLessThan(100_000);
});

interface Operator {
  readonly operator_rows_scanned?: number;
  readonly children?: readonly Operator[];
}

/** Rows that a query read from tables, or had to look at. */
const scannedIn = ({ operator_rows_scanned: own = 0, children = [] }: Operator): number =>
  children.reduce((sum, child) => sum + scannedIn(child), own);
