import { execFile } from 'node:child_process';
import { cp, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { diskError } from '../../../src/load/diskError.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { type CompactStep, compactState } from '../../../src/run/upkeep/compactState.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';

const steps: readonly CompactStep[] = ['copied', 'renamed'];
const stateOf = (folder: string) => join(folder, '.state');
const fileOf = (folder: string) => join(stateOf(folder), 'firn.duckdb');

/** A state most of which is free, with one of everything that a catalogue holds. */
async function holed(): Promise<Warehouse> {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    CREATE TABLE raw.kept AS SELECT range AS n, md5(CAST(range AS VARCHAR)) AS text, [range] AS list FROM range(5000);
    COMMENT ON TABLE raw.kept IS 'What stays.'; COMMENT ON COLUMN raw.kept.n IS 'Its number [1].';
    CREATE VIEW mart.seen AS SELECT in_blocks('1', n) AS seen, n FROM raw.kept;
    CREATE TABLE raw.gone AS SELECT md5(CAST(range AS VARCHAR)) AS text FROM range(90000);
    CREATE TABLE mart.after AS SELECT n + 1 AS n FROM raw.kept;
    CHECKPOINT state; DROP TABLE raw.gone; CHECKPOINT state`);
  return warehouse;
}

/** Everything in it, in the order in which it lies there. */
async function everything(warehouse: Pick<Warehouse, 'query'>): Promise<unknown> {
  const hash = (table: string) =>
    warehouse.query(`SELECT md5(string_agg(CAST(t AS VARCHAR), ';')) AS hash FROM ${table} AS t`);
  return [
    await hash('raw.kept'),
    await hash('mart.seen'),
    await hash('mart.after'),
    await warehouse.query(
      `SELECT "comment" FROM duckdb_columns() WHERE database_name = 'state' AND "comment" IS NOT NULL ORDER BY ALL`,
    ),
    await warehouse.query('SELECT "version", name FROM main.firn_schema_version ORDER BY 1'),
  ];
}

test('a file that is mostly free is rewritten, with all that is in it', async () => {
  const warehouse = await holed();
  const before = await everything(warehouse);
  const { size } = await stat(fileOf(warehouse.folder));
  const compacted = await compactState(warehouse, { least: 0 });
  const open = await warehouse.query('SELECT database_name AS name FROM duckdb_databases() WHERE path IS NOT NULL');
  expect(open).toEqual([{ name: 'compact' }]);
  warehouse.close();
  const now = await stat(fileOf(warehouse.folder));
  expect(now.size).toBeLessThan(size / 2);
  expect(now.mode & 0o777).toBe(0o600);
  expect(compacted?.after).toBeLessThan(compacted?.before ?? 0);
  expect((await readdir(stateOf(warehouse.folder))).sort()).toEqual(['firn.duckdb']);
  const again = await temporaryWarehouse([], warehouse.folder);
  expect(await everything(again)).toEqual(before);
  expect(await compactState(again, { least: 0 })).toBeUndefined();
});

test('a copy that is not what was copied does not take the place of the file', async () => {
  const warehouse = await holed();
  const before = await everything(warehouse);
  const run: Warehouse['run'] = async (sql, values) => {
    const rows = await warehouse.run(sql, values);
    if (sql.startsWith('COPY FROM DATABASE')) await warehouse.run('DELETE FROM compact.raw.kept WHERE n = 7');
    return rows;
  };
  await expect(compactState({ ...warehouse, run }, { least: 0 })).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('is not what was copied'),
  });
  expect(await everything(warehouse)).toEqual(before);
  expect((await readdir(stateOf(warehouse.folder))).filter((name) => name.includes('compact'))).toEqual([]);
});

test('a state of more tables than DuckDB nests expressions is rewritten, too', { tags: 'long' }, async () => {
  const warehouse = await holed();
  const tables = Array.from({ length: 1_000 }, (_, n) => `CREATE TABLE mart.own_${n} AS SELECT ${n} AS n`);
  await warehouse.run(tables.join('; '));
  expect(await compactState(warehouse, { least: 0 })).toBeDefined();
  expect(await warehouse.query('SELECT n FROM mart.own_999')).toEqual([{ n: 999 }]);
});

test.each(['ATTACH', 'COPY FROM'])(
  'where there is no room for the copy (%s), what is said is not that nothing was written',
  { tags: 'long' },
  async (statement) => {
    const warehouse = await holed();
    const full = () => Promise.reject(diskError(new Error('No space left on device'), 'write the warehouse'));
    const run: Warehouse['run'] = (sql) => (sql.startsWith(statement) ? full() : warehouse.run(sql));
    await expect(compactState({ ...warehouse, run }, { least: 0 })).rejects.toThrow(
      /^Could not rewrite .*firn\.duckdb without its free blocks: the disk is full\. Free some space/,
    );
    expect((await readdir(stateOf(warehouse.folder))).sort()).toEqual(['firn.duckdb', 'holder.json']);
    expect(await compactState(warehouse, { least: 0 })).toBeDefined();
  },
);

test('a small file, and one with little that is free, are left alone', async () => {
  const warehouse = await holed();
  expect(await compactState(warehouse)).toBeUndefined();
  await warehouse.run('CREATE TABLE raw.full AS SELECT md5(CAST(range AS VARCHAR)) AS text FROM range(90000)');
  expect(await compactState(warehouse, { least: 0 })).toBeUndefined();
  expect((await readdir(stateOf(warehouse.folder))).sort()).toEqual(['firn.duckdb', 'holder.json']);
});

test.each(steps)(
  'killed when it is %s, the state is whole, and what lies beside it goes with the next run',
  { tags: 'long' },
  async (step) => {
    const warehouse = await holed();
    const before = await everything(warehouse);
    const killed = await temporary();
    const failAt = async (at: CompactStep) => {
      if (at === step) await cp(stateOf(warehouse.folder), stateOf(killed), { recursive: true });
    };
    await compactState(warehouse, { least: 0, failAt });
    // A kill in the middle of the copy leaves half of one, and its log.
    if (step === 'copied') for (const name of ['', '.wal']) await writeFile(`${fileOf(killed)}.compact${name}`, 'half');
    const next = await temporaryWarehouse([], killed);
    expect(await everything(next)).toEqual(before);
    await compactState(next);
    expect((await readdir(stateOf(killed))).filter((name) => name.includes('compact'))).toEqual([]);
  },
);

test.each(steps)('an error when it is %s is told, and the state is whole', async (step) => {
  const warehouse = await holed();
  const before = await everything(warehouse);
  const failAt = (at: CompactStep) => {
    if (at === step) throw new Error(`no more at ${step}`);
  };
  await expect(compactState(warehouse, { least: 0, failAt })).rejects.toThrow(`no more at ${step}`);
  warehouse.close();
  expect((await readdir(stateOf(warehouse.folder))).sort()).toEqual(['firn.duckdb']);
  expect(await everything(await temporaryWarehouse([], warehouse.folder))).toEqual(before);
});

test.each(steps)('nobody else opens the state when it is %s', { tags: 'long' }, async (step) => {
  const warehouse = await holed();
  const script = `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then(() => console.log('opened'), ({ message }) => console.log(message))`;
  let answer = '';
  const failAt = async (at: CompactStep) => {
    if (at !== step) return;
    ({ stdout: answer } = await promisify(execFile)(process.execPath, ['-e', script, fileOf(warehouse.folder)]));
  };
  await compactState(warehouse, { least: 0, failAt });
  expect(answer).toContain('lock');
});
