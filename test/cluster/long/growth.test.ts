import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import type { StagedFile } from '../../../src/cluster/contract.ts';
import { applyPending } from '../../../src/cluster/engine/applyPending.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { openEngine } from '../../../src/cluster/engine/openEngine.ts';
import { insert } from '../../../src/cluster/ledger/insert.ts';
import { insertFiles } from '../../../src/cluster/ledger/insertFiles.ts';
import { pidOf } from '../../../src/cluster/local/processes.ts';
import { openCluster } from '../../../src/cluster/openCluster.ts';
import { asParquet } from '../../../src/cluster/stage/asParquet.ts';
import { withParquet } from '../../../src/cluster/stage/withParquet.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { median } from '../../bench/median.ts';
import { loadDays } from '../../bench/metricsYear.ts';
import { project } from '../../cli/cliHarness.ts';
import { freshLake } from '../live/lake.ts';

/** Rows of raw tables that a generated day brings, and days of about a million. */
const rowsPerDay = 109_555;
const daysAtOnce = 9;
/** Millions of rows that are held when a day is added: `FIRN_GROWTH=1,10,50`. */
const held = (process.env['FIRN_GROWTH'] ?? '1,10').split(',').map(Number);
/** Rows that are read, applied and built before more come, as they do where builds keep up with reading. */
const caughtUp = 10e6;
/** Days that are added one by one at each size: the first one meets what the catch-up before it left. */
const added = 3;

const tell = (line: string) => process.stdout.write(`${line}\n`);
const tables = lakeTables([evmBlocks]);
const { places } = await freshLake('growth');
const configuration = {
  sources: { node: { url: 'http://127.0.0.1:1' } },
  pipelines: { p: { streams: { 'node/evm_blocks': { blockchainIds: ['C'], traces: true } } } },
  ...places,
};
const self = await project(configuration, { isNew: true });
const settings = settingsSchema(declared).parse({ warehouse: self.warehouse, ...configuration });
const cluster = await openCluster(settings);
const engine = openEngine(settings, cluster.stage);
afterAll(async () => {
  await engine.close();
  await cluster.control.close();
});

/** Stages days of a chain as one batch, as a worker that has read them. @returns its rows */
async function deliver(first: number, count: number): Promise<number> {
  const { control, ledger, stage } = cluster;
  const folder = await mkdtemp(join(tmpdir(), 'firn-growth-'));
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue), memoryLimit: '2GB' });
  try {
    await loadDays(warehouse, first, count);
    const id = await ledger.nextBatch();
    const files: StagedFile[] = [];
    for (const { name, columns } of tables) {
      const values = columns.map((column) => (column.name === '_load_id' ? `${id} AS _load_id` : asParquet(column)));
      const select = `SELECT ${values.join(', ')}, ${id}::BIGINT AS firn_batch, row_number() OVER () - 1 AS firn_row FROM ${name}`;
      const path = join(folder, `${name}.parquet`);
      const file = await withParquet(warehouse, select, path, async (rows) =>
        rows > 0 ? stage.write(name, id, path, rows) : undefined,
      );
      if (file) files.push(file);
    }
    const [load] = await warehouse.query<Record<string, string>>(`SELECT * REPLACE (${id} AS load_id) FROM firn.load`);
    await control.transaction(async (sql) => {
      await insertFiles(
        sql,
        files.map((file) => ({ ...file, id })),
      );
      await insert(sql, 'load', [
        JSON.parse(JSON.stringify(load, (_, value) => (typeof value === 'bigint' ? Number(value) : value))),
      ]);
    });
    return files.reduce((sum, { rows }) => sum + rows, 0);
  } finally {
    warehouse.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What work costs: seconds, and seconds of processors of Trino and of this process. */
async function cost(work: () => Promise<unknown>): Promise<{ seconds: number; trino: number; own: number }> {
  const before = { trino: await trinoSeconds(), own: process.cpuUsage() };
  const begun = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before.own);
  return {
    seconds: (performance.now() - begun) / 1000,
    trino: (await trinoSeconds()) - before.trino,
    own: (user + system) / 1e6,
  };
}

async function trinoSeconds(): Promise<number> {
  const run = join(inject('parts').folder, 'run');
  let ticks = 0;
  for (const name of ['coordinator', 'worker1', 'worker2']) {
    const text = await readFile(`/proc/${await pidOf(run, name)}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

const said = ({ seconds, trino, own }: Awaited<ReturnType<typeof cost>>) =>
  `${seconds.toFixed(1)} s (processors: Trino ${trino.toFixed(1)} s, firn ${own.toFixed(1)} s)`;

async function build(): Promise<void> {
  expect(await self.firn('--json', 'run')).toMatchObject({ code: 0, json: { problems: [] } });
}

test('a day more costs the same, whatever is held', async () => {
  let days = 0;
  let staged = 0;
  const costs: number[] = [];
  for (const millions of held) {
    const isMissing = () => (days + added) * rowsPerDay < millions * 1e6;
    while (isMissing()) {
      let brought = 0;
      while (brought < caughtUp && isMissing()) {
        brought += await deliver(days, daysAtOnce);
        days += daysAtOnce;
      }
      staged += brought;
      const applying = await cost(() => applyPending({ engine, ledger: cluster.ledger, tables }));
      tell(
        `${(brought / 1e6).toFixed(1)} M rows applied in ${said(applying)}: ${Math.round(brought / applying.seconds)} rows a second`,
      );
      tell(`${(staged / 1e6).toFixed(1)} M rows held: built in ${said(await cost(build))}`);
    }
    const each: number[] = [];
    for (let i = 0; i < added; i++) {
      staged += await deliver(days++, 1);
      const day = await cost(build);
      each.push(day.trino + day.own);
      tell(`  a day more: ${said(day)}`);
    }
    costs.push(median(each));
    const [row] = await engine.query<{ held: bigint }>(
      tables
        .map(({ name }) => `(SELECT count(*) FROM ${engine.name(name)})`)
        .join(' + ')
        .replace(/^/, 'SELECT ')
        .concat(' AS held'),
    );
    expect(row?.held).toBe(BigInt(staged));
  }
  const ratio = Math.max(...costs) / Math.min(...costs);
  tell(
    `a day more against ${held.join(', ')} M rows: ${costs.map((s) => s.toFixed(1)).join(', ')} s of processors, most of least ${ratio.toFixed(2)} (at most 1.5)`,
  );
  expect(ratio).toBeLessThan(1.5);
});
