import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDuckDb } from '../../src/load/openDuckDb.ts';
import { sqlFolder } from '../../src/load/packageFiles.ts';
import { readRelations } from '../../src/report/readRelations.ts';
import { readStatus, type StatusContext } from '../../src/report/readStatus.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';

const context: StatusContext = {
  now: 0,
  firnVersion: '',
  running: null,
  runs: [],
  unreadable: null,
  unresolved: null,
  dailyQuota: {},
  pipelines: [],
  times: new Map(),
};

test('the newest block of an index that was switched on late is the decoded one, not the place of its container', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    INSERT INTO firn.chain (chain_id, name, alias, vm, pinned_at) VALUES ('p', 'P-Chain', 'P', 'platform', '2026-01-01'), ('x', 'X-Chain', 'X', 'avm', '2026-01-02');
    CREATE TABLE raw.node_containers (index_name VARCHAR, "index" BIGINT, "timestamp" TIMESTAMP);
    INSERT INTO raw.node_containers VALUES ('P/block', 0, '2026-01-20 00:00:00'), ('P/block', 1, '2026-01-20 00:00:01'), ('X/block', 7, '2026-01-21');
    CREATE TABLE raw.node_containers_p_blocks (index_name VARCHAR, "index" BIGINT, height BIGINT, "timestamp" TIMESTAMP);
    INSERT INTO raw.node_containers_p_blocks VALUES ('P/block', 0, 5000, '2024-05-05'), ('P/block', 1, 5001, '2024-05-06')`);
  const { chains } = await readStatus(warehouse, await readRelations(warehouse), context);
  expect(chains).toMatchObject([
    { chainId: 'p', newestBlock: 5001, newestTime: Date.UTC(2024, 4, 6) },
    { chainId: 'x', newestBlock: null, newestTime: Date.UTC(2026, 0, 21) },
  ]);
});

test('blocks whose containers are held back from readers are no reason to tell nothing', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    INSERT INTO firn.chain (chain_id, name, alias, vm, pinned_at) VALUES ('p', 'P-Chain', 'P', 'platform', '2026-01-01');
    CREATE TABLE raw.node_containers_p_blocks (index_name VARCHAR, "index" BIGINT, height BIGINT, "timestamp" TIMESTAMP)`);
  const { chains } = await readStatus(warehouse, await readRelations(warehouse), context);
  expect(chains).toMatchObject([{ chainId: 'p', newestBlock: null }]);
});

test('the reader database of 0.1 is told until the next publish replaces it', async () => {
  const { connection, close } = await openDuckDb({ folders: [] });
  onTestFinished(close);
  const newestOf01 = 63;
  for (const name of (await readdir(sqlFolder('schema'))).sort())
    if (Number.parseInt(name, 10) <= newestOf01)
      await connection.run(await readFile(join(sqlFolder('schema'), name), 'utf8'));
  await connection.run(`
    INSERT INTO firn.load BY NAME
    SELECT 1 AS load_id, 'r' AS run_id, 'data/chains' AS stream, 'all' AS "partition", 1 AS pages, 3 AS rows_in, 3 AS rows_written,
      0 AS rows_quarantined, 9 AS bytes, TIMESTAMP '2026-01-20' AS committed_at`);
  const reader = {
    query: async <R>(sql: string) => (await connection.runAndReadAll(sql)).getRowObjects() as R[],
  };
  const { streams } = await readStatus(reader, await readRelations(reader), context);
  expect(streams).toMatchObject([{ stream: 'data/chains', rows: 3, partitions: [{ partition: 'all', rows: 3 }] }]);
});
