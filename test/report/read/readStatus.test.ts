import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { sqlFolder } from '../../../src/load/packageFiles.ts';
import { unpublishedText } from '../../../src/report/health/lastRuns.ts';
import { readRelations } from '../../../src/report/read/readRelations.ts';
import { readStatus } from '../../../src/report/read/readStatus.ts';
import type { StatusContext } from '../../../src/report/read/statusContext.ts';
import { phases } from '../../../src/run/records/runReport.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

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
  const asked: string[] = [];
  const query: typeof warehouse.query = (sql, values) => {
    asked.push(sql);
    return warehouse.query(sql, values);
  };
  const { chains } = await readStatus({ query }, await readRelations(warehouse), context);
  expect(chains).toMatchObject([
    { chainId: 'p', newestBlock: 5001, newestTime: Date.UTC(2024, 4, 6) },
    { chainId: 'x', newestBlock: null, newestTime: Date.UTC(2026, 0, 21) },
  ]);
  // Which containers are the newest takes a look at all of them.
  expect(asked.filter((sql) => /raw\.node_containers GROUP BY/.test(sql))).toHaveLength(1);
});

test('a block that tells no time is as old as its container', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    INSERT INTO firn.chain (chain_id, name, alias, vm, pinned_at) VALUES ('p', 'P-Chain', 'P', 'platform', '2026-01-01');
    CREATE TABLE raw.node_containers AS SELECT 'P/block' AS index_name, 1 AS "index", TIMESTAMP '2026-01-20' AS "timestamp";
    CREATE TABLE raw.node_containers_p_blocks AS SELECT 'P/block' AS index_name, 1 AS "index", 5 AS height, NULL::TIMESTAMP AS "timestamp"`);
  const { chains } = await readStatus(warehouse, await readRelations(warehouse), context);
  expect(chains).toMatchObject([{ newestBlock: 5, newestTime: Date.UTC(2026, 0, 20) }]);
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

test.each([
  ['a run that ended before', '2026-01-20T10:00:00Z', Date.UTC(2026, 0, 20, 12)],
  ['one that ended after', '2026-01-20T12:01:00Z', Date.UTC(2026, 0, 20, 12, 1)],
  ['one that a clock dated ahead', '2027-01-01T00:00:00Z', Date.UTC(2026, 0, 20, 12)],
])('a version that readers see was published, whatever runs tell: %s', async (_, finishedAt, lastPublishedAt) => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    CREATE TABLE firn.published ("version" BIGINT, published_at TIMESTAMP, files BIGINT, "rows" BIGINT, bytes BIGINT);
    INSERT INTO firn.published VALUES (7, '2026-01-20 12:00:00', 1, 1, 1)`);
  const run = { command: 'run', isGoing: false, startedAt: finishedAt };
  const status = await readStatus(warehouse, await readRelations(warehouse), {
    ...context,
    now: Date.UTC(2026, 0, 20, 13),
    runs: [
      // It was killed once it had published.
      { ...run, runId: 'b', startedAt: '2026-01-20T11:59:00Z', finishedAt: null, exitCode: null, summary: { phases } },
      { ...run, runId: 'a', finishedAt, exitCode: 0, summary: { phases, published: { version: 6 } } },
    ],
  });
  expect(status).toMatchObject({ lastPublishedAt });
  expect(unpublishedText(status)).toBeUndefined();
});

test('a version that a clock dated ahead says nothing of when a run last published', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    CREATE TABLE firn.published ("version" BIGINT, published_at TIMESTAMP, files BIGINT, "rows" BIGINT, bytes BIGINT);
    INSERT INTO firn.published VALUES (7, '2027-01-01', 1, 1, 1)`);
  const ended = '2026-01-20T10:00:00Z';
  const run = { runId: 'a', command: 'run', isGoing: false, startedAt: ended, finishedAt: ended, exitCode: 0 };
  const status = await readStatus(warehouse, await readRelations(warehouse), {
    ...context,
    now: Date.UTC(2026, 0, 20, 13),
    runs: [{ ...run, summary: { phases, published: { version: 6 } } }],
  });
  expect(status).toMatchObject({ lastPublishedAt: Date.parse(ended) });
});

test('of each audit the last result counts, and of one that could not look, why', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, example, severity, problem) VALUES
      ('broken', 'r', '2026-01-19', 0, NULL, 'error', NULL), ('broken', 'r', '2026-01-20', 2, '{}', 'error', NULL),
      ('blind', 'r', '2026-01-20', 0, '{}', 'error', 'no such column'), ('mended', 'r', '2026-01-20', 0, NULL, 'error', NULL),
      ('mended', 'r', '2026-01-19', 3, '{}', 'error', NULL)`);
  const { audits } = await readStatus(warehouse, await readRelations(warehouse), context);
  expect(audits).toMatchObject([
    { name: 'blind', example: 'no such column', couldNotLook: true },
    { name: 'broken', failedRows: 2, couldNotLook: false },
    { name: 'mended', failedRows: 0 },
  ]);
});
