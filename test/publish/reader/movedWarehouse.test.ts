import { cp, mkdir, readdir, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { localReaderFile } from '../../../src/publish/reader/readerPaths.ts';
import { repairReaderDatabase } from '../../../src/publish/reader/repairReaderDatabase.ts';
import { temporary } from '../../temporaryFolders.ts';
import { awkward, sampleWarehouse } from '../sampleWarehouse.ts';
import { verifyWhole } from '../verify/verifyWhole.ts';

const count = 'SELECT count(*) AS n FROM raw.node_evm_blocks';

async function publishedIn(folder: string, root?: string): Promise<void> {
  const warehouse = await sampleWarehouse(folder);
  await publish(warehouse, { runId: 'r1', ...(root && { root }) });
  warehouse.close();
}

async function rootOf(folder: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll('SELECT root FROM firn.published')).getRows();
  instance.closeSync();
  return rows[0]?.[0];
}

test('a moved warehouse is noticed and its reader database rewritten, once, with all it held', {
  tags: 'long',
}, async () => {
  const parent = await temporary(awkward);
  await publishedIn(join(parent, 'a'));
  const comments = `SELECT table_name, column_name, comment FROM duckdb_columns() WHERE comment IS NOT NULL ORDER BY ALL`;
  const before = await openReader(join(parent, 'a'));
  const [told, runs] = [await before.query(comments), await before.query('FROM firn.run')];
  before.close();
  await rename(join(parent, 'a'), join(parent, 'b'));
  const reader = await openReader(join(parent, 'b'));
  expect(await reader.query(count)).toEqual([{ n: 1998n }]);
  expect(await reader.query(comments)).toEqual(told);
  expect(await reader.query('FROM firn.run')).toEqual(runs);
  reader.close();
  expect(await repairReaderDatabase(join(parent, 'b'))).toBe(false);
  const { version, failures } = await verifyWhole(join(parent, 'b'));
  expect([version, failures.filter(({ check }) => check !== 'load')]).toEqual([1, []]);
});

test('a moved warehouse goes on: the next publish keeps the files it has, and any client opens it in its new place', {
  tags: 'long',
}, async () => {
  const parent = await temporary(awkward);
  await publishedIn(join(parent, 'a'));
  await rename(join(parent, 'a'), join(parent, 'b'));
  const folder = join(parent, 'b');
  const warehouse = await openWarehouse({ folder, tables: [] });
  await warehouse.run(`INSERT INTO mart.metric SELECT * REPLACE ('moved' AS metric) FROM mart.metric LIMIT 1`);
  const { version, written, reused } = await publish(warehouse, { runId: 'r2' });
  warehouse.close();
  expect({ version, written }).toEqual({ version: 2, written: 1 });
  expect(reused).toBeGreaterThan(1);
  expect(await rootOf(folder)).toBe(folder);
  const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll(
    `SELECT (SELECT count(*) FROM raw.node_evm_blocks), (SELECT count(*) FROM mart.metric WHERE metric = 'moved')`,
  );
  instance.closeSync();
  expect(rows.getRows()).toEqual([[1998n, 1n]]);
});

test('a copy reads its own files, not those of the original', { tags: 'long' }, async () => {
  const parent = await temporary(awkward);
  await publishedIn(join(parent, 'a'));
  await cp(join(parent, 'a'), join(parent, 'b'), { recursive: true });
  expect(await repairReaderDatabase(join(parent, 'b'))).toBe(true);
  expect(await rootOf(join(parent, 'b'))).toBe(join(parent, 'b'));
  expect(await rootOf(join(parent, 'a'))).toBe(join(parent, 'a'));
});

test('another name for the same folder is no move', async () => {
  const parent = await temporary(awkward);
  await publishedIn(join(parent, 'a'));
  await symlink(join(parent, 'a'), join(parent, 'b'));
  expect(await repairReaderDatabase(join(parent, 'b'))).toBe(false);
});

test('a root set by hand stays, and commands of this machine read the files all the same', {
  tags: 'long',
}, async () => {
  const folder = await temporary(awkward);
  await publishedIn(folder, '/mnt/elsewhere');
  const reader = await openReader(folder);
  expect(await reader.query(count)).toEqual([{ n: 1998n }]);
  reader.close();
  expect(await rootOf(folder)).toBe('/mnt/elsewhere');
  for (const root of [folder, undefined]) {
    await publishedAgain(folder, root);
    expect(await rootOf(folder)).toBe(folder);
    expect(await readdir(join(folder, '.state'))).not.toContain('analytics.duckdb');
  }
});

test('files are read by the path that the views name, where that leads to the same folder', async () => {
  const parent = await temporary(awkward);
  const [folder, root] = [join(parent, 'a'), join(parent, 'b')];
  await symlink(folder, root);
  await publishedIn(folder, root);
  await rm(localReaderFile(folder));
  const reader = await openReader(folder);
  expect(await reader.query(count)).toEqual([{ n: 1998n }]);
  reader.close();
  expect(await rootOf(folder)).toBe(root);
});

test('a machine that may not write reads by the path that was set for it', async () => {
  const parent = await temporary(awkward);
  const folder = join(parent, 'b');
  await publishedIn(join(parent, 'a'), folder);
  await rename(join(parent, 'a'), folder);
  // In the way of what a repair would write.
  await mkdir(join(folder, '.state', `analytics.duckdb.new-${process.pid}-own`));
  const reader = await openReader(folder);
  expect(await reader.query(count)).toEqual([{ n: 1998n }]);
  reader.close();
});

test.runIf(process.platform === 'linux')(
  'where a moved warehouse may not be written, the setting is named',
  async () => {
    const parent = await temporary(awkward);
    const folder = join(parent, 'b');
    await publishedIn(join(parent, 'a'));
    await rename(join(parent, 'a'), folder);
    // Nobody may write there, whoever runs the tests.
    await rm(join(folder, '.state'), { recursive: true });
    await symlink('/sys/kernel', join(folder, '.state'));
    await expect(openReader(folder)).rejects.toMatchObject({
      code: 'disk',
      message: expect.stringContaining(
        `publish with \`publish.root: ${folder}\` in the firn.yaml of the machine that writes`,
      ),
    });
  },
);

async function publishedAgain(folder: string, root?: string): Promise<void> {
  const warehouse = await openWarehouse({ folder, tables: [] });
  await publish(warehouse, { runId: 'r2', root });
  warehouse.close();
}

test('the folder `parquet` shows the files of the newest version alone', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await publish(warehouse, { runId: 'r1' });
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  await publish(warehouse, { runId: 'r2' });
  const pattern = (name: string) =>
    `'${folder.replaceAll("'", "''").replace('[1]', '[[]1]')}/${name}/mart/metric/*.parquet'`;
  const count = async (name: string) =>
    (await warehouse.query(`SELECT count(*) AS n FROM read_parquet(${pattern(name)})`))[0]?.['n'];
  expect(await count('lake')).toBe(400n);
  expect(await count('parquet')).toBe(200n);
});

test('a folder of the user that is called `parquet` is left alone', async () => {
  const warehouse = await sampleWarehouse();
  const own = join(warehouse.folder, 'parquet');
  await mkdir(own);
  await writeFile(join(own, 'mine.txt'), 'mine');
  await publish(warehouse, { runId: 'r1' });
  expect(await readdir(own)).toEqual(['mine.txt']);
  expect(await readdir(warehouse.folder)).not.toContain('parquet.new');
});

test('where a copy followed links, the next publish puts the links back, and none of the old files stay', {
  tags: 'long',
}, async () => {
  const parent = await temporary(awkward);
  await publishedIn(join(parent, 'a'));
  const folder = join(parent, 'b');
  await cp(join(parent, 'a'), folder, { recursive: true, dereference: true });
  const blocks = join('raw', 'node_evm_blocks');
  const [file = ''] = await readdir(join(folder, 'parquet', blocks));
  // A publish was killed while it put one of them back.
  await writeFile(join(folder, 'lake', '_versions', '000001', blocks, `${file}.new`), '');
  await publishedAgain(folder);
  expect(await readlink(join(folder, 'parquet'))).toBe('lake/_versions/000001');
  expect(await readdir(join(folder, 'parquet', blocks))).toEqual([file]);
  const inode = async (place: string) => (await stat(join(folder, place, blocks, file))).ino;
  expect(await inode('parquet')).toBe(await inode('lake'));
  await rm(join(folder, 'parquet'));
  await cp(join(folder, 'lake', '_versions', '000001'), join(folder, 'parquet'), { recursive: true });
  await writeFile(join(folder, 'parquet', 'mart', 'mine.txt'), 'mine');
  await publishedAgain(folder);
  expect(await readdir(join(folder, 'parquet'), { recursive: true })).toEqual(['mart', 'mart/mine.txt']);
});
