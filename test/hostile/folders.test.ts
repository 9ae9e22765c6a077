import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDuckDb } from '../../src/load/database/openDuckDb.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { readVersion } from '../../src/publish/manifest.ts';
import { publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { folderMadeOnce } from '../folderMadeOnce.ts';
import { temporary } from '../temporaryFolders.ts';

/** A small warehouse, published once elsewhere, with a table and a view over it. */
async function published(folder: string): Promise<void> {
  const made = await folderMadeOnce('published numbers', async (own) => {
    const warehouse = await openWarehouse({ folder: own, tables: [] });
    await warehouse.run(`CREATE TABLE mart.numbers AS SELECT range AS i FROM range(3);
      CREATE VIEW staging.even AS SELECT i FROM mart.numbers WHERE i % 2 = 0`);
    await publish(warehouse, { runId: 'r1' });
    warehouse.close();
  });
  await cp(made, folder, { recursive: true });
}

const manifests = (folder: string) => [
  join(folder, 'lake', '_manifest.json'),
  join(folder, 'lake', '_manifests', '000001.json'),
];

type Json = { [name: string]: Json } & Json[];

/** Changes both manifests as anybody could who knows the format of before manifests had hashes. */
async function forge(folder: string, change: (manifest: Json) => void): Promise<void> {
  for (const file of manifests(folder)) {
    const { sha256: _, ...manifest } = JSON.parse(await readFile(file, 'utf8'));
    change(manifest);
    await writeFile(file, JSON.stringify({ ...manifest, format: 1 }));
  }
}

test('SQL in the manifest of a copied warehouse never runs, and its views are what they were', async () => {
  const parent = await temporary();
  await published(join(parent, 'a'));
  await cp(join(parent, 'a'), join(parent, 'b'), { recursive: true });
  await writeFile(join(parent, 'secret'), 'secret');
  const sql = `COPY (SELECT content FROM read_text('${join(parent, 'secret')}')) TO '${join(parent, 'b', 'out')}'`;
  await forge(join(parent, 'b'), (manifest) => {
    for (const item of [...(manifest['views'] ?? []), ...(manifest['macros'] ?? [])]) Object.assign(item, { sql });
  });
  const reader = await openReader(join(parent, 'b'));
  expect(await reader.query('SELECT CAST(i AS INTEGER) AS i FROM staging.even ORDER BY i')).toEqual([
    { i: 0 },
    { i: 2 },
  ]);
  reader.close();
  expect(existsSync(join(parent, 'b', 'out'))).toBe(false);
});

test.each<[string, (table: Json) => void]>([
  ['a path that climbs', (table) => Object.assign(table['files']?.[0] ?? {}, { path: 'mart/../../../x.parquet' })],
  ['an absolute path', (table) => Object.assign(table['files']?.[0] ?? {}, { path: '/etc/x.parquet' })],
  ['a path of Windows', (table) => Object.assign(table['files']?.[0] ?? {}, { path: 'mart\\..\\x.parquet' })],
  ['a type that is SQL', (table) => Object.assign(table['columns']?.[0] ?? {}, { parquet_type: 'INT); COPY x TO y' })],
  ['a name with a control character', (table) => Object.assign(table, { name: 'a\u0000b' })],
  ['a schema of its own', (table) => Object.assign(table, { schema: 'x"; COPY' })],
])('%s in a manifest is refused', async (_, change) => {
  const folder = await temporary();
  await published(folder);
  await forge(folder, (manifest) => change((manifest['tables']?.[0] ?? {}) as Json));
  await expect(readVersion(folder, 1)).rejects.toThrow(/000001\.json is damaged/);
});

test('every connection reaches the given folders alone, loads nothing, and cannot be opened wider', async () => {
  const folder = await temporary();
  const outside = await temporary();
  await writeFile(join(outside, 'secret'), 'secret');
  await symlink(outside, join(folder, 'link'));
  const { connection, close } = await openDuckDb({ folders: [folder], changeable: ['threads'] });
  await connection.run(`COPY (SELECT 1 AS one) TO '${folder}/in.parquet'; SET threads = 1`);
  for (const sql of [
    `COPY (SELECT 1) TO '${outside}/out.csv'`,
    `COPY (SELECT 1) TO '${folder}/../out.csv'`,
    `COPY (SELECT 1) TO '${folder}/link/out.csv'`,
    `SELECT * FROM read_text('${outside}/secret')`,
    `SELECT * FROM glob('${outside}/*')`,
    `ATTACH '${outside}/x.duckdb' AS x`,
    'INSTALL httpfs',
    'LOAD httpfs',
    `SELECT * FROM read_csv('https://127.0.0.1:1/x.csv')`,
    'SET enable_external_access = true',
    `SET allowed_directories = ['/']`,
    'SET autoload_known_extensions = true',
    'SET allow_community_extensions = true',
    'SET lock_configuration = false',
    `SET allowed_configs = ['temp_directory']`,
    `SET memory_limit = '1GB'`,
  ]) {
    await expect(connection.runAndReadAll(sql), sql).rejects.toThrow();
  }
  // From the first moment on, when a file that may be anybody's is opened.
  const settings = await connection.runAndReadAll(
    `SELECT DISTINCT "value" FROM duckdb_settings()
     WHERE name LIKE 'auto%_known_extensions' OR name IN ('allow_community_extensions', 'allow_persistent_secrets')`,
  );
  expect(settings.getRows()).toEqual([['false']]);
  close();
  expect(await readdir(outside)).toEqual(['secret']);
});

test('what reads a warehouse is closed, and so is what writes it', async () => {
  const folder = await temporary();
  await published(folder);
  const secret = join(await temporary(), 'secret');
  await writeFile(secret, 'secret');
  const sql = `SELECT * FROM read_text('${secret}')`;
  const reader = await openReader(folder);
  await expect(reader.query(sql)).rejects.toThrow(/disabled by configuration/);
  reader.close();
  const warehouse = await openWarehouse({ folder, tables: [] });
  await expect(warehouse.query(sql)).rejects.toThrow(/disabled by configuration/);
  await warehouse.run(`SET memory_limit = '300MiB'; RESET threads`);
  warehouse.close();
});

test('nothing of firn opens DuckDB in another way', async () => {
  const root = join(import.meta.dirname, '..', '..', 'src');
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const openers = [];
  for (const name of files) {
    if ((await readFile(join(root, name), 'utf8')).includes('DuckDBInstance.')) openers.push(name);
  }
  expect(openers).toEqual(['load/database/openDuckDb.ts']);
});

test.each([
  '.state',
  '.state/firn.duckdb',
  '.state/firn.duckdb.wal',
  '.state/runs',
  'lake',
  'lake/_manifests',
  'lake/mart',
])('a link at %s is not written through', async (place) => {
  const folder = await temporary();
  const outside = await temporary();
  await published(folder);
  await rm(join(folder, place), { recursive: true, force: true });
  await symlink(join(outside, 'target'), join(folder, place));
  await expect(openWarehouse({ folder, tables: [] })).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(`${join(folder, place)} is a symbolic link`),
  });
  expect(await readdir(outside)).toEqual([]);
});

test('a link among the readers of before does not lend its mode to what it leads to', async () => {
  const folder = await temporary();
  await published(folder);
  const secret = join(await temporary(), 'secret');
  await writeFile(secret, 'secret', { mode: 0o600 });
  await mkdir(join(folder, 'lake', '_readers'), { recursive: true });
  await symlink(secret, join(folder, 'lake', '_readers', '1-1-1-1.duckdb'));
  const warehouse = await openWarehouse({ folder, tables: [] });
  await publish(warehouse, { runId: 'r2' });
  warehouse.close();
  expect((await stat(secret)).mode & 0o777).toBe(0o600);
  expect(await readFile(secret, 'utf8')).toBe('secret');
});
