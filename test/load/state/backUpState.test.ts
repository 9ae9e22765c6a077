import { execFile } from 'node:child_process';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { backUpState } from '../../../src/load/state/backUpState.ts';
import { migrate } from '../../../src/load/state/migrate.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { queryFile } from '../../cli/queryFile.ts';
import { temporary } from '../../temporaryFolders.ts';

/** A warehouse as an older firn left it: without the newest migration, and with one row. */
async function olderWarehouse(): Promise<{ folder: string; version: number }> {
  const folder = await temporary();
  const warehouse = await openWarehouse({ folder, tables: [] });
  const [newest] = await warehouse.query<{ version: number }>(
    'SELECT max("version") AS "version" FROM main.firn_schema_version',
  );
  const version = newest?.version ?? 0;
  await warehouse.run(`DROP TABLE firn.dropped; DROP TABLE firn.frozen;
    DELETE FROM main.firn_schema_version WHERE "version" >= 61;
    INSERT INTO firn.run VALUES ('r1', 'run', now()::TIMESTAMP, NULL, NULL, NULL)`);
  warehouse.close();
  return { folder, version };
}

test('before the schema changes, a copy of the state is made that is whole; after that, none', {
  tags: 'long',
}, async () => {
  const { folder, version } = await olderWarehouse();
  const backups: string[] = [];
  const open = () => openWarehouse({ folder, tables: [], onCopy: (sentence) => backups.push(sentence) });
  const upgraded = await open();
  expect(await upgraded.query('SELECT max("version") AS "version" FROM main.firn_schema_version')).toEqual([
    { version },
  ]);
  upgraded.close();
  (await open()).close();
  expect(backups).toEqual([
    expect.stringMatching(/A copy of the state as it was is kept: .*firn\.duckdb\.v060-\d{8}T\d{6}Z\.backup$/),
  ]);
  const first = backups[0]?.split(': ')[1] ?? '';
  expect(await queryFile(first, 'SELECT max("version") AS v FROM main.firn_schema_version')).toEqual([{ v: 60 }]);
  expect(await queryFile(first, 'SELECT run_id FROM firn.run')).toEqual([{ run_id: 'r1' }]);
});

test('an upgrade that is killed again and again keeps the copy from before it', async () => {
  const { folder } = await olderWarehouse();
  const copies: string[] = [];
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(`ATTACH '${join(folder, '.state', 'firn.duckdb')}' AS state; USE state`);
  const copy = async (version: number) => {
    copies.push(String(version));
  };
  // Each time, one migration more is made.
  const run = connection.run.bind(connection);
  for (const kills of [1, 2, 3]) {
    let made = 0;
    vi.spyOn(connection, 'run').mockImplementation(async (sql, ...rest) => {
      if (sql.includes('INSERT INTO main.firn_schema_version VALUES (') && !sql.includes('begun') && made++ === 1)
        throw new Error(`killed ${kills}`);
      return run(sql, ...rest);
    });
    await expect(migrate(connection, 'state', copy)).rejects.toThrow(`killed ${kills}`);
  }
  vi.restoreAllMocks();
  await migrate(connection, 'state', copy);
  expect(copies).toEqual(['60']);
  // One that was killed before it noted that it is over is over with the next: the upgrade after it keeps a copy.
  await connection.run(`INSERT INTO main.firn_schema_version VALUES (0, 'begun', now()::TIMESTAMP)`);
  await migrate(connection, 'state', copy);
  await connection.run('DELETE FROM main.firn_schema_version WHERE "version" > 150');
  await migrate(connection, 'state', copy);
  expect(copies).toEqual(['60', '150']);
});

test('a warehouse that was just upgraded is locked for others as ever', { tags: 'long' }, async () => {
  const { folder } = await olderWarehouse();
  const upgraded = await openWarehouse({ folder, tables: [] });
  const file = JSON.stringify(join(folder, '.state', 'firn.duckdb'));
  const api = JSON.stringify(import.meta.resolve('@duckdb/node-api'));
  const open = `(await import(${api})).DuckDBInstance.create(${file}).then(() => 'open', String)`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `console.log(await ${open})`,
  ]);
  upgraded.close();
  expect(stdout).toMatch(/lock/);
});

test('a new warehouse has nothing to keep', async () => {
  const folder = await temporary();
  (await openWarehouse({ folder, tables: [] })).close();
  expect((await readdir(join(folder, '.state'))).filter((name) => name.includes('backup'))).toEqual([]);
});

test('the newest two backups stay, and nothing else is touched', async () => {
  const folder = await temporary();
  const state = join(folder, 'firn.duckdb');
  await writeFile(state, 'state');
  await writeFile(`${state}.wal`, 'log');
  for (const day of [3, 1, 2, 4]) await backUpState(state, day === 1 ? 61 : 60, new Date(Date.UTC(2026, 0, day)));
  expect((await readdir(folder)).sort()).toEqual([
    'firn.duckdb',
    'firn.duckdb.v060-20260103T000000Z.backup',
    'firn.duckdb.v060-20260104T000000Z.backup',
    'firn.duckdb.wal',
  ]);
});

test('where no copy can be made, the schema stays as it is', async () => {
  const { folder } = await olderWarehouse();
  const state = join(folder, '.state', 'firn.duckdb');
  // A folder has the name that the copy would get.
  const now = new Date(Date.UTC(2026, 0, 1));
  await mkdir(`${state}.v060-20260101T000000Z.backup`);
  await expect(backUpState(state, 60, now)).rejects.toThrow();
  expect((await readdir(join(folder, '.state'))).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('what killed processes have left beside the state goes when it is opened, once it is old', {
  tags: 'long',
}, async () => {
  const { folder } = await olderWarehouse();
  const state = join(folder, '.state');
  const long = new Date(Date.now() - 7_200_000);
  const left = [
    'unresolved.json.new',
    join('runs', '20260101T000000000Z-one.json.new'),
    join('pauses', 'data.json.new'),
  ];
  for (const name of left) {
    await mkdir(dirname(join(state, name)), { recursive: true });
    await writeFile(join(state, name), '');
    await utimes(join(state, name), long, long);
  }
  const young = join('runs', '20260101T000000000Z-two.json.new');
  await writeFile(join(state, young), '');
  // These are as large as the state: they go at once.
  for (const name of ['new-1', 'v060-20260101T000000Z.backup.new'])
    await writeFile(join(state, `firn.duckdb.${name}`), '');
  const spilled = 'firn.duckdb.tmp';
  await mkdir(join(state, spilled));
  await writeFile(join(state, spilled, 'duckdb_temp_storage_DEFAULT-0.tmp'), '');
  (await openWarehouse({ folder, tables: [] })).close();
  const names = await readdir(state, { recursive: true });
  expect(names.filter((name) => /\.new(-1)?$/.test(name) || name.startsWith(spilled))).toEqual([young]);
});
