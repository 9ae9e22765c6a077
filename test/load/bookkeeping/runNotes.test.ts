import { expect, test } from 'vitest';
import { noteRun, runsInFull, runsTold } from '../../../src/load/bookkeeping/runRecords.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

const partitions = Array.from({ length: 100 }, (_, n) => ({
  stream: 'data/utxos',
  partition: `address=${n}`,
  rows: n,
}));

/** How many summaries name partitions, and how many there are. */
const told = async (warehouse: Warehouse) =>
  (
    await warehouse.query(
      `SELECT count(*) FILTER (WHERE json_array_length(summary, 'partitions') = 100) AS full, count(summary) AS "all", count(*) AS runs FROM firn.run`,
    )
  )[0];

test('partitions and audits are told of the newest runs alone, all else of every run', { tags: 'long' }, async () => {
  const warehouse = await temporaryWarehouse([]);
  for (let n = 0; n < runsInFull + 20; n++) {
    await noteRun(warehouse, { runId: `r${n}`, command: 'run' });
    await noteRun(warehouse, { runId: `r${n}`, command: 'run', exitCode: 0, summary: { seconds: n, partitions } });
  }
  expect(await told(warehouse)).toEqual({ full: 60n, all: 80n, runs: 80n });
  const [oldest] = await warehouse.query<{ summary: string }>("SELECT summary FROM firn.run WHERE run_id = 'r0'");
  expect(JSON.parse(oldest?.summary ?? '')).toEqual({ seconds: 0, partitions: [], audits: [] });
});

const matrix = Array.from({ length: 29 }, (_, n) => ({
  chain: '43114',
  metric: `metric${n}`,
  interval: 'day',
  verdicts: { agrees: 100 },
}));

test.each([
  ['goes, all else of it stays', { reconciliation: { differs: 1, matrix } }, { differs: 1, matrix: [] }],
  ['is not made up where nothing was compared', { reconciliation: null, partitions }, null],
])('what a run of long ago compared, series by series, %s', { tags: 'long' }, async (_, summary, left) => {
  const warehouse = await temporaryWarehouse([]);
  for (let n = 0; n <= runsInFull; n++)
    await noteRun(warehouse, { runId: `r${n}`, command: 'run', exitCode: 0, summary });
  const runs = await warehouse.query<{ summary: string }>('SELECT summary FROM firn.run ORDER BY started_at LIMIT 2');
  expect(runs.map((run) => JSON.parse(run.summary).reconciliation)).toEqual([left, summary.reconciliation]);
});

test('a summary that DuckDB cannot read as JSON goes, and ends no run', { tags: 'long' }, async () => {
  const warehouse = await temporaryWarehouse([]);
  for (let n = 0; n <= runsInFull; n++) {
    const summary = { partitions, problems: ['\ud800'] };
    await noteRun(warehouse, { runId: `r${n}`, command: 'run', exitCode: 0, summary });
  }
  const [oldest] = await warehouse.query("SELECT summary FROM firn.run WHERE run_id = 'r0'");
  expect(oldest).toEqual({ summary: null });
});

test('of a run before the newest thousand a line is kept', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(
    `INSERT INTO firn.run SELECT 'r' || range, 'run', TIMESTAMP '2026-01-01' + to_minutes(range), NULL, 0, '{}' FROM range(${runsTold})`,
  );
  for (const runId of ['a', 'b']) await noteRun(warehouse, { runId, command: 'run', exitCode: 0, summary: {} });
  const [kept] = await warehouse.query(
    'SELECT count(*) AS runs, count(summary) AS told, min(started_at) FILTER (WHERE summary IS NOT NULL)::VARCHAR AS since FROM firn.run',
  );
  expect(kept).toEqual({ runs: BigInt(runsTold + 2), told: BigInt(runsTold), since: '2026-01-01 00:02:00' });
});

test.each([133, 173])('an upgrade past %i keeps every run, and the summaries of the newest', async (version) => {
  const before = await temporaryWarehouse([]);
  await before.run(
    `INSERT INTO firn.run SELECT 'r' || range, 'run', TIMESTAMP '2026-01-01' + to_minutes(range), TIMESTAMP '2026-01-01' + to_minutes(range), 0, '${JSON.stringify({ partitions })}' FROM range(200)`,
  );
  await before.run(`DELETE FROM main.firn_schema_version WHERE "version" >= ${version}`);
  before.close();
  const warehouse = await temporaryWarehouse([], before.folder);
  expect(await told(warehouse)).toEqual({ full: 60n, all: 60n, runs: 200n });
  expect(await warehouse.query('SELECT run_id FROM firn.run WHERE summary IS NOT NULL ORDER BY 1 LIMIT 1')).toEqual([
    { run_id: 'r140' },
  ]);
});

test('an upgrade past 176 keeps every run, and the summaries of the newest thousand', async () => {
  const before = await temporaryWarehouse([]);
  await before.run(
    `INSERT INTO firn.run SELECT 'r' || range, 'run', TIMESTAMP '2026-01-01' + to_minutes(range), NULL, 0, '{}' FROM range(1200);
     DELETE FROM main.firn_schema_version WHERE "version" >= 176`,
  );
  before.close();
  const warehouse = await temporaryWarehouse([], before.folder);
  const [kept] = await warehouse.query(
    'SELECT count(*) AS runs, count(summary) AS told, min(started_at) FILTER (WHERE summary IS NOT NULL)::VARCHAR AS since FROM firn.run',
  );
  expect(kept).toEqual({ runs: 1200n, told: 1000n, since: '2026-01-01 03:20:00' });
});
