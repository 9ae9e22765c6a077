import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { sampleWarehouse } from '../sampleWarehouse.ts';

const basesOf = async ({ folder }: Warehouse) => {
  const names = (await readdir(join(folder, '.state'))).filter((name) => name.startsWith('reader-'));
  return Promise.all(names.map(async (name) => ({ name, ino: (await stat(join(folder, '.state', name))).ino })));
};

/** What a reader sees of the blocks: their comment, and how many there are. */
async function shown({ folder }: Warehouse) {
  const reader = await openReader(folder);
  const [row] = await reader.query<{ comment: string; blocks: bigint; views: bigint }>(
    `SELECT (SELECT comment FROM duckdb_views() WHERE view_name = 'node_evm_blocks') AS comment,
       (SELECT count(*) FROM raw.node_evm_blocks) AS blocks, (SELECT count(*) FROM staging.a_block) AS views`,
  );
  reader.close();
  return row;
}

const comment = "Blocks of the C-Chain's kind.";

test('versions that differ in rows alone begin from the same base', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1' });
  const bases = await basesOf(warehouse);
  expect(bases).toHaveLength(1);
  await warehouse.run('DELETE FROM raw.node_evm_blocks WHERE "number" > 10');
  await publish(warehouse, { runId: 'r2' });
  expect(await shown(warehouse)).toEqual({ comment, blocks: 20n, views: 10n });
  await warehouse.run('DELETE FROM raw.node_evm_blocks');
  await publish(warehouse, { runId: 'r3' });
  expect(await shown(warehouse)).toEqual({ comment, blocks: 0n, views: 0n });
  expect(await basesOf(warehouse)).toEqual(bases);
});

test('another catalogue has another base; one that comes back finds its own, and of many the oldest go', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  const publishAs = async (says: string) => {
    await warehouse.run(`COMMENT ON TABLE raw.node_evm_blocks IS '${says}'`);
    await publish(warehouse, { runId: says });
    expect(await shown(warehouse)).toMatchObject({ comment: says, blocks: 1998n });
    return basesOf(warehouse);
  };
  await publishAs('One.');
  const two = await publishAs('Two.');
  expect(await publishAs('One.')).toEqual(two);
  const three = await publishAs('Three.');
  expect(three).toHaveLength(3);
  expect(await publishAs('One.')).toEqual(three);
  const four = await publishAs('Four.');
  expect(four).toHaveLength(3);
  expect(four).not.toEqual(three);
  // The oldest went, and that was the first.
  expect(await publishAs('Two.')).toEqual(four);
});

test('a damaged base is made anew', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1' });
  const [base] = await basesOf(warehouse);
  const file = join(warehouse.folder, '.state', base?.name ?? '');
  const bytes = await readFile(file);
  const at = bytes.indexOf(comment);
  expect(at).toBeGreaterThan(0);
  await writeFile(file, bytes.fill('X', at, at + 6));
  await warehouse.run('DELETE FROM raw.node_evm_blocks WHERE "number" > 10');
  await publish(warehouse, { runId: 'r2' });
  expect(await shown(warehouse)).toEqual({ comment, blocks: 20n, views: 10n });
  expect(
    (await readFile(join(warehouse.folder, '.state', (await basesOf(warehouse))[0]?.name ?? ''))).includes(comment),
  ).toBe(true);
});

test('each macro stands beside the views that call it, where no other has its name', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(
    `CREATE MACRO main.half(x) AS x / 2; CREATE MACRO main.twice(x) AS half(x) * 4; CREATE MACRO mart.half(x) AS 'its own';
     CREATE VIEW mart.halves AS SELECT mart.half(1) AS a; CREATE VIEW staging.doubles AS SELECT twice(3) AS b`,
  );
  await publish(warehouse, { runId: 'r1' });
  const reader = await openReader(warehouse.folder);
  const macros = await reader.query<{ place: string; sql: string }>(
    `SELECT schema_name || '.' || function_name AS place, macro_definition AS sql
     FROM duckdb_functions() WHERE function_name IN ('half', 'twice') ORDER BY ALL`,
  );
  const [shownHalf] = await reader.query('SELECT a, b FROM mart.halves, staging.doubles');
  reader.close();
  expect(macros.map(({ place }) => place)).toEqual([
    ...['main.half', 'main.twice', 'mart.half', 'mart.twice', 'staging.half', 'staging.twice'],
  ]);
  expect(macros.filter(({ sql }) => sql === "'its own'").map(({ place }) => place)).toEqual(['mart.half']);
  expect(shownHalf).toEqual({ a: 'its own', b: 6 });
});

test('the table that says the version has all comments', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1' });
  const reader = await openReader(warehouse.folder);
  const said = `SELECT table_name AS name FROM duckdb_tables() WHERE comment IS NULL AND table_name = 'published'
    UNION ALL SELECT column_name FROM duckdb_columns() WHERE comment IS NULL AND table_name = 'published'`;
  expect(await reader.query(said)).toEqual([]);
  reader.close();
});
