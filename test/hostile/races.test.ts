import { copyFile, type link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { exitCode } from '../../src/core/exitCode.ts';
import { emptyPage } from '../../src/core/parse/parseRecords.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { createSnapshotStage } from '../../src/load/commit/snapshotStage.ts';
import { diskError } from '../../src/load/diskError.ts';
import { isAlive, ownProcess } from '../../src/load/state/processFacts.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { publishError } from '../../src/publish/publishError.ts';
import { readRunState } from '../../src/run/records/runState.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';
import { replaceFileCalls } from '../replaceFileCalls.ts';
import { temporary } from '../temporaryFolders.ts';

/** The warehouse as its first run meets it, when another run acts in the moment before a file gets its name. */
async function warehouseWhere(naming: (to: string) => Promise<void>) {
  const late =
    (give: typeof link) =>
    async (...[from, to]: Parameters<typeof link>) => {
      await naming(String(to));
      await give(from, to);
    };
  replaceFileCalls((real) => ({ link: late(real.link), rename: late(real.rename) }));
  return import('../../src/load/state/warehouse.ts');
}

test('of two first runs the quicker one keeps its database', async () => {
  const [folder, other] = [await temporary(), await temporary()];
  const quicker = await openWarehouse({ folder: other, tables: [] });
  await quicker.run(`INSERT INTO firn.run VALUES ('quicker', 'run', now()::TIMESTAMP, NULL, NULL, NULL)`);
  await quicker.run('CHECKPOINT state');
  quicker.close();
  const slower = await warehouseWhere(async (to) => {
    if (to.startsWith(folder)) await copyFile(join(other, '.state', 'firn.duckdb'), to);
  });
  const warehouse = await slower.openWarehouse({ folder, tables: [] });
  onTestFinished(() => warehouse.close());
  expect(await warehouse.query('SELECT run_id FROM firn.run')).toEqual([{ run_id: 'quicker' }]);
  expect((await readdir(join(folder, '.state'))).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('what a killed first run or migration left is gone after the next run', async () => {
  const folder = await temporary();
  (await openWarehouse({ folder, tables: [] })).close();
  for (const half of ['new-7', 'new-7.wal', 'v060-20260101T000000Z.backup.new'])
    await writeFile(join(folder, '.state', `firn.duckdb.${half}`), 'half');
  (await openWarehouse({ folder, tables: [] })).close();
  expect(await readdir(join(folder, '.state'))).toEqual(['firn.duckdb']);
});

test.each([
  ['EIO: i/o error, read', 73, 'the disk cannot be read or written'],
  ['IO Error: Could not read from file "x": Input/output error', 73, 'the disk cannot be read or written'],
  ['IO Error: Could not write file "x": Input/output error', 73, 'the disk cannot be read or written'],
  ['IO Error: Could not write file "x": No space left on device', 73, 'the disk is full'],
  ['EMFILE: too many open files, open', 1, 'ulimit -n'],
  ['IO Error: Cannot open file "x": Too many open files', 1, 'ulimit -n'],
])('%s ends with %i and a sentence', (message, code, sentence) => {
  const error = diskError(new Error(message), 'read the warehouse');
  expect(error.message).toContain(sentence);
  expect(exitCode(error)).toBe(code);
});

test('a failing disk is 73 wherever it is met', () => {
  const error = Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
  expect(exitCode(error)).toBe(73);
  const told = publishError(error, 'publish') as Error;
  expect(exitCode(told)).toBe(73);
  expect(told.message).toContain('the disk cannot be read or written');
});

const stream = catalogue.find(({ id }) => id === 'data/chains');

async function read(warehouse: Warehouse, names: Readonly<Record<string, string>>, fetchedAt: number) {
  if (stream?.way !== 'snapshot') throw new Error('data/chains is a snapshot');
  const stage = await createSnapshotStage(warehouse, stream, { values: {} });
  const page = emptyPage(stream, { values: {} });
  for (const [id, name] of Object.entries(names)) page.set.own.append({ chain_id: id, chain_name: name });
  await stage.add(page);
  const [last] = await warehouse.query<{ position: string }>('SELECT "position" FROM firn.checkpoint');
  const batch = { quarantined: [], unknown: [], records: 1, pages: 1, bytes: 1, request: '', fetchedAt };
  const from = last ? JSON.parse(last.position) : null;
  await stage.apply({ stream, partition: { values: {} }, runId: 'r', batch, from, to: { readAt: fetchedAt } });
  await stage.drop();
}

test('a clock that is set back makes no row end before it began, and none begin before another ended', async () => {
  if (!stream) throw new Error('data/chains is gone');
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const noon = Date.UTC(2026, 1, 3, 12);
  await read(warehouse, { one: 'a', two: 'a' }, noon);
  await read(warehouse, { one: 'b' }, noon - 3_600_000);
  await read(warehouse, { one: 'c', two: 'a' }, noon - 7_200_000);
  const table = stream.table.name;
  expect(await warehouse.query(`SELECT count(*) AS n, count(_valid_to) AS closed FROM ${table}`)).toEqual([
    { n: 5n, closed: 3n },
  ]);
  expect(await warehouse.query(`FROM ${table} WHERE _valid_to < _valid_from`)).toEqual([]);
  const overlapping = await warehouse.query(
    `SELECT a.chain_id FROM ${table} AS a JOIN ${table} AS b USING (chain_id)
     WHERE a.rowid <> b.rowid AND a._valid_from < b._valid_to AND coalesce(a._valid_to, 'infinity'::TIMESTAMP) > b._valid_from`,
  );
  expect(overlapping).toEqual([]);
});

/** What a folder tells of the run under way, where its record names this process and this time. */
async function runOf(named: { pid: number; host: string; birth?: string }, time: string) {
  const folder = await temporary();
  await mkdir(join(folder, '.state'));
  const state = { ...named, runId: 'r', command: 'run', phase: 'sync', since: time, updatedAt: time };
  await writeFile(join(folder, '.state', 'run.json'), JSON.stringify(state));
  return readRunState(folder);
}

test.each([0, 1, -1, process.pid])(
  'a record that names process %i, which is another one now, is of no run',
  async (pid) => {
    expect(await runOf({ pid, host: hostname(), birth: '1' }, new Date().toISOString())).toBeNull();
  },
);

test('this process is known by its birth; a record of another machine from the future is of no run', async () => {
  const own = await ownProcess();
  expect(await isAlive(own)).toBe(true);
  if (own.birth !== undefined) expect(await isAlive({ pid: own.pid, host: hostname() })).toBe(false);
  expect(await runOf({ pid: 7, host: 'elsewhere' }, '2099-01-01T00:00:00.000Z')).toBeNull();
});
