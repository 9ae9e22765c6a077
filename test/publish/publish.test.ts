import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { PublishSource } from '../../src/publish/files/publishSource.ts';
import { lakeFolder, listVersions, readCurrent } from '../../src/publish/manifest.ts';
import { publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { temporary } from '../temporaryFolders.ts';
import { awkward, cut, layouts, sampleWarehouse } from './sampleWarehouse.ts';
import { unpublished } from './unpublished.ts';

const tables = [
  'raw.node_evm_blocks',
  'raw.node_evm_transactions',
  'raw.node_platform_validators',
  'raw.data_nothing',
  'staging.evm_block',
  'staging.a_block',
  'mart.metric',
  'firn.run',
];

test('a reader sees every row of every table, with the same columns, types and comments', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  const result = await publish(warehouse, { runId: 'r1' });
  const closed = await openReader(warehouse.folder);
  const asked = closed.query('SELECT count(hash(i)) AS n FROM range(10_000_000) AS r (i)');
  closed.close();
  expect(await asked).toEqual([{ n: 10_000_000n }]);
  await expect(closed.query('SELECT 1')).rejects.toThrow('was closed');
  const reader = await openReader(warehouse.folder);
  for (const table of tables) {
    const rows = `SELECT * FROM ${table} ORDER BY ALL`;
    expect(await reader.query(rows), table).toEqual(await warehouse.query(rows));
    const types = `SELECT column_name, column_type FROM (DESCRIBE ${table})`;
    expect(await reader.query(types), table).toEqual(await warehouse.query(types));
  }
  const comments = `SELECT schema_name, table_name, column_name, comment FROM duckdb_columns()
    WHERE schema_name IN ('raw', 'staging', 'mart', 'firn') AND table_name <> 'published' ORDER BY ALL`;
  expect(await reader.query(comments)).toEqual(await warehouse.query(comments));
  expect(await reader.query(`SELECT comment FROM duckdb_columns() WHERE column_name = 'gas_used'`)).toContainEqual({
    comment: 'Gas used by the block. [gas]',
  });
  const macros = 'SELECT count(*) AS n, z_half(4) AS half, z_half(1, 2) AS three FROM some_blocks(990)';
  expect(await reader.query(macros)).toEqual(await warehouse.query(macros));
  expect(await reader.query(`SELECT "version", run_id, "rows" FROM firn.published`)).toEqual([
    { version: 1n, run_id: 'r1', rows: BigInt(result.rows) },
  ]);
  reader.close();
});

const filesOf = async (folder: string, name: string) =>
  (await readCurrent(folder))?.tables.find((table) => table.name === name)?.files ?? [];

test('a view is computed once, however many files it has, unless these are known to be many rows, or may be', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  const by = { kind: 'time', column: 'block_timestamp' } as const;
  const of = (layout: object) => new Map([...layouts, ['staging.evm_block', { sort: ['number'], ...layout }]]);
  const asked = [vi.spyOn(warehouse, 'query'), vi.spyOn(warehouse, 'run')];
  const computed = async (runId: string, layout: object, maxRows = 100_000) => {
    for (const spy of asked) spy.mockClear();
    const { written } = await publish(warehouse, { ...cut, layouts: of(layout), maxRows, fileBytes: 1_000, runId });
    const statements = asked.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
    return [statements.filter((sql) => sql.includes('FROM "staging"."evm_block"')).length, written > 0];
  };
  expect(await computed('r1', {})).toEqual([1, true]);
  expect(await computed('r2', { chain: 'chain_id', by })).toEqual([1, true]);
  expect((await filesOf(warehouse.folder, 'evm_block')).length).toBeGreaterThan(2);
  expect(await computed('r3', { chain: 'chain_id', by })).toEqual([1, false]);
  expect(await warehouse.query('SELECT table_name FROM duckdb_tables() WHERE temporary')).toEqual([]);
  expect((await computed('r4', { chain: 'chain_id', by, sort: ['chain_id', 'number'] }, 1))[0]).toBeGreaterThan(2);
  const other = await sampleWarehouse();
  const runs = vi.spyOn(other, 'run');
  await publish(other, { ...cut, layouts: of({ chain: 'chain_id', by }), runId: 'r1' });
  expect(runs.mock.calls.filter(([sql]) => sql.includes('TEMP TABLE'))).toEqual([]);
});

test('large tables are cut by chain and month or heights, small ones are one file, and all lie in one folder', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, fileBytes: 5_000, runId: 'r1' });
  const names = async (name: string) =>
    (await filesOf(warehouse.folder, name)).map(({ path }) => path.replace(/-v000001-[0-9a-f]{12}\.parquet$/, ''));
  expect(await names('node_evm_blocks')).toEqual([
    'raw/node_evm_blocks/2oYMB_x_y-20251231-20260131',
    'raw/node_evm_blocks/2oYMB_x_y-20260201-20260211',
    'raw/node_evm_blocks/43114-20251231-20260131',
    'raw/node_evm_blocks/43114-20260201-20260211',
  ]);
  expect(await names('node_evm_transactions')).toEqual([
    'raw/node_evm_transactions/43114-0-996000',
    'raw/node_evm_transactions/43114-1000000-1996000',
  ]);
  expect(await names('node_platform_validators')).toEqual(['raw/node_platform_validators/all']);
  expect(await names('data_nothing')).toEqual([]);
  await publish(warehouse, { layouts, runId: 'r2' });
  expect((await filesOf(warehouse.folder, 'node_evm_blocks')).map(({ unit }) => unit)).toEqual(['[]']);
});

test('a large table is cut by chains that are numbers or not named, too', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(
    `CREATE TABLE mart.own AS SELECT nullif(i % 3, 2) AS chain_no, TIMESTAMP '2026-01-01' + to_hours(CAST(i AS INTEGER)) AS moment FROM range(2000) AS r (i)`,
  );
  const own = new Map([
    ['mart.own', { chain: 'chain_no', by: { kind: 'time', column: 'moment' }, sort: ['moment'] } as const],
  ]);
  await publish(warehouse, { ...cut, layouts: own, runId: 'r1' });
  const files = await filesOf(warehouse.folder, 'own');
  expect([...new Set(files.map(({ unit }) => JSON.parse(unit)[0]))]).toEqual([null, '0', '1']);
  expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(2000);
});

test('a view that is declared to have files has them, for readers that know no views', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  const shown = new Map([...layouts, ['staging.evm_block', { sort: ['chain_id', 'number'] }]]);
  await publish(warehouse, { layouts: shown, runId: 'r1' });
  const [file] = await filesOf(warehouse.folder, 'evm_block');
  const rows = `FROM staging.evm_block ORDER BY ALL`;
  const path = join(warehouse.folder, 'parquet', file?.path ?? '').replaceAll("'", "''");
  const inFile = `SELECT * FROM read_parquet('${path.replaceAll('[', '[[]')}') ORDER BY ALL`;
  expect(await warehouse.query(inFile)).toEqual(
    await warehouse.query(`SELECT * REPLACE (CAST(nonce AS DECIMAL(20,0)) AS nonce) ${rows}`),
  );
  const reader = await openReader(warehouse.folder);
  expect(await reader.query(rows)).toEqual(await warehouse.query(rows));
  reader.close();
  expect(await publish(warehouse, { layouts: shown, runId: 'r2' })).toMatchObject({ isNew: false });
  await warehouse.run(`UPDATE raw.node_evm_blocks SET nonce = 5, _load_id = 20 WHERE "number" = 500`);
  await publish(warehouse, { layouts: shown, runId: 'r3' });
  expect((await filesOf(warehouse.folder, 'evm_block'))[0]?.sha256).not.toBe(file?.sha256);
});

test('nothing new is no new version; a changed unit is one new file; all files have the order and the columns of now', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run('CREATE TABLE raw.metric AS SELECT 1 AS a');
  const publishCut = (runId: string) => publish(warehouse, { ...cut, runId });
  const first = await publishCut('r1');
  const again = await publishCut('r2');
  expect(again).toMatchObject({ version: 1, isNew: false, written: 0, reused: first.written });
  await warehouse.run(`DELETE FROM raw.node_evm_blocks WHERE chain_id = '43114' AND "number" = 999`);
  await warehouse.run(
    `INSERT INTO raw.node_evm_blocks (chain_id, "number", "timestamp", _load_id) VALUES ('43114', 999, '2026-02-11', 12)`,
  );
  expect(await publishCut('r3')).toMatchObject({
    version: 2,
    written: 1,
    reused: first.written - 1,
  });
  await warehouse.run(`UPDATE raw.node_platform_validators SET _valid_to = '2026-02-01' WHERE tx_id = 'b'`);
  await warehouse.run(`UPDATE mart.metric SET numerator = 7 WHERE metric = 'txCount' AND bucket = '2025-12-25'`);
  expect(await publishCut('r4')).toMatchObject({ version: 3, written: 2 });
  const sorted = new Map([...layouts, ['mart.metric', { ...layouts.get('mart.metric'), sort: ['bucket'] }]]);
  expect((await publish(warehouse, { ...cut, layouts: sorted, runId: 'r5' })).written).toBeGreaterThan(0);
  await warehouse.run('ALTER TABLE raw.node_platform_validators ADD COLUMN more VARCHAR');
  await publishCut('r6');
  expect(await unpublished(warehouse)).toEqual([]);
});

test('a version is new where nothing is but what is held back, a view or a macro', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  const changes = [
    `INSERT INTO firn.held_back VALUES ('mart.metric', 'a', now()::TIMESTAMP, 'r')`,
    'CREATE VIEW mart.own AS SELECT 1 AS a',
    'CREATE OR REPLACE VIEW staging.a_block AS SELECT *, 1 AS half FROM staging.evm_block',
    'CREATE OR REPLACE MACRO main.a_half("number") AS "number" / 3',
  ];
  for (const [i, change] of changes.entries()) {
    await warehouse.run(change);
    const made = await publish(warehouse, { ...cut, runId: change });
    expect(made, change).toMatchObject({ version: i + 2, isNew: true, written: 0 });
  }
  const shown = async () => {
    const reader = await openReader(warehouse.folder);
    const rows = await reader.query('SELECT DISTINCT half, a_half(9) AS third FROM staging.a_block');
    reader.close();
    return rows;
  };
  expect(await shown()).toEqual([{ half: 1, third: 3 }]);
  // From which comes what is held back.
  await rm(join(warehouse.folder, 'analytics.duckdb'));
  await writeFile(join(warehouse.folder, 'analytics.duckdb'), 'damaged');
  expect(await publish(warehouse, { ...cut, runId: 'last' })).toMatchObject({ version: 5, isNew: false });
  expect(await shown()).toEqual([{ half: 1, third: 3 }]);
});

test('where the files of versions are lost, the one that readers see is written again, and the next one has the next number', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  const lose = () => rm(join(lakeFolder(warehouse.folder), '_manifests'), { recursive: true });
  await lose();
  expect(await publish(warehouse, { ...cut, runId: 'r2' })).toMatchObject({ version: 1, isNew: false, written: 0 });
  expect(await listVersions(warehouse.folder)).toEqual([1]);
  await lose();
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  expect(await publish(warehouse, { ...cut, runId: 'r3' })).toMatchObject({ version: 2 });
});

test('rows of times that no calendar has, or none after which there is a month, are published with the first ones', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(
    `UPDATE mart.metric SET bucket = CASE EXTRACT(day FROM bucket) WHEN 1 THEN TIMESTAMP 'infinity' WHEN 2 THEN TIMESTAMP '0044-03-15 (BC)'
       WHEN 3 THEN TIMESTAMP '9999-12-15' ELSE bucket END`,
  );
  await publish(warehouse, { ...cut, runId: 'r1' });
  expect(await unpublished(warehouse)).toEqual([]);
});

test('a table that is emptied loses its files, and the first row that comes to an empty one is published', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  const kept = await warehouse.query('FROM raw.node_platform_validators');
  await warehouse.run(
    'CREATE TEMP TABLE kept AS FROM raw.node_platform_validators; DELETE FROM raw.node_platform_validators',
  );
  await publish(warehouse, { ...cut, runId: 'r2' });
  expect(await filesOf(warehouse.folder, 'node_platform_validators')).toEqual([]);
  await warehouse.run('CHECKPOINT');
  expect(await publish(warehouse, { ...cut, runId: 'r3' })).toMatchObject({ isNew: false });
  await warehouse.run('INSERT INTO raw.node_platform_validators FROM kept');
  await publish(warehouse, { ...cut, runId: 'r4' });
  const [file] = await filesOf(warehouse.folder, 'node_platform_validators');
  expect(file?.rows).toBe(kept.length);
});

test('the same rows give the same bytes, whatever order they came in', { tags: 'long' }, async () => {
  const names = async (reverse: boolean) => {
    const warehouse = await sampleWarehouse();
    if (reverse) {
      await warehouse.run(`CREATE TABLE raw.other AS SELECT * FROM raw.node_evm_blocks ORDER BY "number" DESC, chain_id;
        DROP VIEW staging.a_block; DROP VIEW staging.evm_block; DELETE FROM raw.node_evm_blocks; INSERT INTO raw.node_evm_blocks FROM raw.other; DROP TABLE raw.other`);
    }
    await publish(warehouse, { ...cut, runId: 'r1' });
    return (await filesOf(warehouse.folder, 'node_evm_blocks')).map(({ path, sha256 }) => [path, sha256]);
  };
  expect(await names(true)).toEqual(await names(false));
});

test('months and millions of heights with many rows are cut further, and the newest with many bytes', {
  tags: 'long',
}, async () => {
  const units = async (sizes: { fileBytes: number; maxRows?: number }) => {
    const warehouse = await sampleWarehouse();
    await publish(warehouse, { layouts, ...sizes, runId: 'r' });
    const of = async (name: string) => (await filesOf(warehouse.folder, name)).map(({ unit }) => unit);
    return [...(await of('node_evm_blocks')), ...(await of('node_evm_transactions'))];
  };
  const january = '["43114","2025-12-01","2026-02-01"]';
  expect(await units({ fileBytes: 5_000 })).toContain(january);
  expect(await units({ fileBytes: 5_000, maxRows: 300 })).not.toContain(january);
  const small = await units({ fileBytes: 1 });
  expect(small).toContain('["43114","2026-01-01","2026-02-01"]');
  expect(small).toContain('["43114","2026-02-05","2026-02-06"]');
  expect(small).toContain('["43114","1300000","1400000"]');
});

test('who may not read the files by the umask may not read the reader database either', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  const before = process.umask(0o027);
  onTestFinished(() => void process.umask(before));
  const { readerDatabase } = await publish(warehouse, { runId: 'r1' });
  expect((await stat(readerDatabase)).mode & 0o777).toBe(0o440);
});

test('the reader database is one that DuckDB 1.0 opens, read-only, and shows the path it is told', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1', root: '/mnt/elsewhere' });
  const path = join(warehouse.folder, 'analytics.duckdb');
  // Format 64 is that of 0.9 to 1.1.
  expect((await readFile(path)).readUInt32LE(12)).toBe(64);
  expect((await stat(path)).mode & 0o777).toBe(0o444);
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(`SELECT sql FROM duckdb_views() WHERE view_name = 'node_evm_blocks'`);
  expect(String(reader.getRows()[0]?.[0])).toContain(`'/mnt/elsewhere/lake/raw/node_evm_blocks/all-v000001-`);
  // It has no variables: those that limit a build are none in a reader.
  const macros = await connection.runAndReadAll(
    `SELECT count(*) FILTER (macro_definition LIKE '%getvariable(''firn_first''%'), count(*) FILTER (macro_definition LIKE '%firn_variant%')
     FROM duckdb_functions() WHERE schema_name = 'main' AND function_name IN ('in_blocks', 'variant')`,
  );
  expect(macros.getRows()).toEqual([[0n, 1n]]);
  instance.closeSync();
});

test('an empty state gives an empty version, and no version a clear error', async () => {
  const folder = await temporary(awkward);
  await expect(openReader(folder)).rejects.toMatchObject({ code: 'not_found' });
});

test('nothing is published in the old place of a warehouse that was moved while it was open', async () => {
  const folder = join(await temporary(), 'warehouse');
  const warehouse = await sampleWarehouse(folder);
  await rename(folder, `${folder}-moved`);
  const refused = { code: 'disk', message: expect.stringMatching(/warehouse is not there any more.*was moved/) };
  await expect(publish(warehouse, { runId: 'run', ...cut })).rejects.toMatchObject(refused);
  expect(existsSync(folder)).toBe(false);
});

test.each(['lake', 'lake/mart', 'lake/mart/metric'])(
  'nothing is written where a link in the place of %s leads',
  async (place) => {
    const warehouse = await sampleWarehouse();
    const [elsewhere, link] = [await temporary(), join(warehouse.folder, place)];
    await mkdir(dirname(link), { recursive: true });
    await symlink(elsewhere, link);
    await expect(publish(warehouse, { runId: 'run', ...cut })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(`${link} is a symbolic link`),
    });
    expect(await readdir(elsewhere)).toEqual([]);
  },
);

test('of a table that changes while it is published no version is made', async () => {
  const warehouse = await sampleWarehouse();
  const query: PublishSource['query'] = async (sql, values) => {
    if (sql.startsWith('COPY') && sql.includes('"mart"."metric"')) await warehouse.run('DELETE FROM mart.metric');
    return warehouse.query(sql, values);
  };
  await expect(publish({ ...warehouse, query }, { runId: 'run', ...cut })).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringMatching(/^mart\.metric changed while it was published \(\d+ rows counted, 0 written\)/),
  });
  expect(await readCurrent(warehouse.folder)).toBeUndefined();
});

test('columns may have any name, as those of expressions that a model gives none', async () => {
  const warehouse = await sampleWarehouse();
  const names = ['two\nlines', 'long'.repeat(100)];
  const selected = names.map((name) => `1 AS "${name}"`).join(', ');
  await warehouse.run(`CREATE TABLE mart.own AS SELECT ${selected}; CREATE VIEW mart.own_view AS FROM mart.own`);
  const { version } = await publish(warehouse, { runId: 'r1' });
  expect((await readCurrent(warehouse.folder))?.version).toBe(version);
  const reader = await openReader(warehouse.folder);
  expect(await reader.query('FROM mart.own_view')).toEqual([Object.fromEntries(names.map((name) => [name, 1]))]);
  reader.close();
});

test('of wide rows few are in a row group, of which readers hold one in memory', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`CREATE TABLE mart.wide AS SELECT i, repeat('x', 40_000) AS words FROM range(3000) AS r (i)`);
  await publish(warehouse, { runId: 'r1' });
  const [file] = await filesOf(warehouse.folder, 'wide');
  const path = join(lakeFolder(warehouse.folder), file?.path ?? '').replaceAll("'", "''");
  expect(
    await warehouse.query(
      `SELECT DISTINCT row_group_num_rows AS n FROM parquet_metadata('${path.replaceAll('[', '[[]')}') ORDER BY ALL`,
    ),
  ).toEqual([{ n: 952n }, { n: 2048n }]);
});

test('floating point outside the list is refused by name', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run('CREATE TABLE mart.bad AS SELECT 1::BIGINT AS a, 0.5::DOUBLE AS price');
  await expect(publish(warehouse, { runId: 'r1' })).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringContaining('mart.bad.price'),
  });
});

test('a view that needs what readers do not have is refused by name', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run('CREATE TABLE main.hidden AS SELECT 1 AS a; CREATE VIEW mart.shown AS SELECT * FROM main.hidden');
  await expect(publish(warehouse, { runId: 'r1' })).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringContaining('mart.shown cannot be shown'),
  });
});
