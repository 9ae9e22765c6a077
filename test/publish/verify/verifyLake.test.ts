import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { copyFile, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { mainFile } from '../../../src/load/packageFiles.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { listVersions, readCurrent } from '../../../src/publish/manifest.ts';
import { publish } from '../../../src/publish/publish.ts';
import { project } from '../../cli/cliHarness.ts';
import { temporary } from '../../temporaryFolders.ts';
import { awkward, cut, sampleWarehouse } from '../sampleWarehouse.ts';
import { verifyWhole } from './verifyWhole.ts';

const loads = `INSERT INTO firn.load SELECT _load_id, 'r1', 's', 'p', NULL, 1, count(*), count(*), 0, 0, NULL, NULL, '2026-01-01', 1, 0
  FROM (SELECT _load_id FROM raw.node_evm_blocks UNION ALL SELECT _load_id FROM raw.node_evm_transactions
    UNION ALL SELECT _load_id FROM raw.node_platform_validators) GROUP BY 1`;

async function published(change = ''): Promise<Warehouse> {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`${loads}; ${change}`);
  await publish(warehouse, { ...cut, runId: 'r1' });
  return warehouse;
}

async function aFile(folder: string, table = 'node_evm_blocks'): Promise<string> {
  const manifest = await readCurrent(folder);
  return manifest?.tables.find(({ name }) => name === table)?.files.at(1)?.path ?? '';
}

async function overwrite(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write('x', 1000);
  await handle.close();
}

test('a published warehouse is found whole, and so is harm to its files, which a publish heals', {
  tags: 'long',
}, async () => {
  const warehouse = await published();
  const { folder } = warehouse;
  const seen: number[] = [];
  const verdict = await verifyWhole(folder, (done) => seen.push(done));
  expect(verdict).toMatchObject({ ok: true, version: 1, failures: [] });
  expect(verdict.rows).toBe(1998 + 1000 + 2 + 200);
  expect(seen).toEqual(Array.from({ length: verdict.files + 1 }, (_, i) => i));

  // A flipped bit.
  const path = await aFile(folder);
  const full = join(folder, 'lake', path);
  const handle = await open(full, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, 1000);
  byte.writeUInt8(byte.readUInt8() ^ 4);
  await handle.write(byte, 0, 1, 1000);
  expect(await verifyWhole(folder)).toMatchObject({ ok: false, failures: [{ check: 'changed', item: path }] });

  // A shortened, a missing and a foreign file.
  const mine = join(dirname(full), 'mine.parquet');
  await copyFile(full, mine);
  await handle.truncate(100);
  await handle.close();
  const foreign = { check: 'foreign', item: join(dirname(path), 'mine.parquet') };
  expect((await verifyWhole(folder)).failures).toMatchObject([{ check: 'changed', item: path }, foreign]);
  await rm(full);
  expect((await verifyWhole(folder)).failures).toMatchObject([{ check: 'missing', item: path }, foreign]);

  // What is missing is healed by any publish, what has changed by one that hashes.
  await rm(mine, { force: true });
  expect(await publish(warehouse, { ...cut, runId: 'r2' })).toMatchObject({ version: 2, written: 1 });
  expect(await verifyWhole(folder)).toMatchObject({ ok: true });
  await overwrite(join(folder, 'lake', await aFile(folder)));
  expect(await publish(warehouse, { ...cut, runId: 'r3' })).toMatchObject({ written: 0 });
  expect(await verifyWhole(folder)).toMatchObject({ ok: false });
  expect(await publish(warehouse, { ...cut, runId: 'r4', rehash: true })).toMatchObject({ version: 3, written: 1 });
  expect(await verifyWhole(folder)).toMatchObject({ ok: true });
});

test('a relation that is held back is published without its rows of before where a file of them is gone', async () => {
  const warehouse = await published();
  const { folder } = warehouse;
  await warehouse.run("INSERT INTO firn.held_back VALUES ('mart.metric', 'a', now()::TIMESTAMP, 'r')");
  await publish(warehouse, { ...cut, runId: 'r2' });
  const shown = async () => (await readCurrent(folder))?.tables.filter(({ name }) => name === 'metric').length;
  expect(await shown()).toBe(1);
  await rm(join(folder, 'lake', await aFile(folder, 'metric')));
  await publish(warehouse, { ...cut, runId: 'r3' });
  expect(await shown()).toBe(0);
  expect((await verifyWhole(folder)).failures).toEqual([]);
});

test('a harmed file that only an older version names goes with that version, where files are hashed', {
  tags: 'long',
}, async () => {
  const warehouse = await published();
  const { folder } = warehouse;
  const old = await aFile(folder, 'metric');
  await warehouse.run('UPDATE mart.metric SET denominator = 5');
  expect(await publish(warehouse, { runId: 'r2' })).toMatchObject({ version: 2 });
  await overwrite(join(folder, 'lake', old));
  expect((await verifyWhole(folder)).failures).toMatchObject([{ check: 'changed', item: old }]);
  expect(await publish(warehouse, { runId: 'r3', rehash: true })).toMatchObject({ version: 2, written: 0 });
  expect(await verifyWhole(folder)).toMatchObject({ ok: true });
  expect(await listVersions(folder)).toEqual([2]);
});

/** Harm to rows, each where the others do none, and what is said of it. */
const harms = [
  [
    `DELETE FROM raw.node_evm_blocks WHERE chain_id = '43114' AND "number" BETWEEN 5 AND 6`,
    ['gap', 'raw.node_evm_blocks', 'number 5 to 6 of chain_id 43114 are missing'],
  ],
  [
    `INSERT INTO raw.node_evm_blocks SELECT * REPLACE (2 AS _load_id) FROM raw.node_evm_blocks WHERE chain_id = '43114' AND "number" = 7;
     DELETE FROM raw.node_evm_blocks WHERE chain_id = '43114' AND "number" = 999; UPDATE firn.load SET rows_written = rows_written + 1 WHERE load_id = 2`,
    ['gap', 'raw.node_evm_blocks', 'number 7 of chain_id 43114 is there more than once'],
  ],
  [
    `UPDATE raw.node_evm_blocks SET parent_hash = 'x' WHERE chain_id = '43114' AND "number" = 9`,
    ['parent', 'raw.node_evm_blocks', 'parent_hash of number 9 of chain_id 43114 is not the hash of 8'],
  ],
  [
    `CREATE TABLE raw.node_containers AS SELECT 'X/tx' AS index_name, i AS index, 'c' || i AS id, CAST(NULL AS VARCHAR) AS parent_id
     FROM range(2000) AS r(i) WHERE i <> 1023`,
    ['gap', 'raw.node_containers', 'index 1023 of index_name X/tx is missing'],
  ],
  [
    `INSERT INTO raw.node_containers
     SELECT 'P/block' AS index_name, i AS index, 'c' || i AS id, 'c' || if(i = 7, 5, i - 1) AS parent_id FROM range(20) AS r(i)`,
    ['parent', 'raw.node_containers', 'parent_id of index 7 of index_name P/block is not the id of 6'],
  ],
  [
    `UPDATE firn.load SET rows_written = rows_written - 1 WHERE load_id = 3`,
    ['load', 'raw.node_evm_blocks', '200 rows come from load 3, which wrote 199'],
  ],
  [
    `DELETE FROM firn.load WHERE load_id = 4`,
    ['load', 'raw.node_evm_blocks', '200 rows come from load 4, which firn.load does not know'],
  ],
] as const;

test('harm to rows is found, whatever it is, and nothing but that', { tags: 'long' }, async () => {
  const { folder } = await published(harms.map(([change]) => change).join('; '));
  const found = (await verifyWhole(folder)).failures.map(({ check, item, message }) => [check, item, message]);
  expect(found.toSorted()).toEqual(harms.map(([, failure]) => failure).toSorted());
});

test.each([
  ['a backfill that was interrupted', '{"asked":"0","at":{"next":1023,"last":1023},"to":null}', []],
  ['stretches that workers read', '{"at":[{"next":3,"last":7},{"next":1023,"last":1023}]}', []],
  ['a stretch elsewhere', '{"at":[{"next":3,"last":7}]}', [1023]],
  ['a part of what is missing', '{"at":[{"next":1023,"last":1022}]}', [1023]],
  ['pages of a list', '{"asked":"0","at":{"token":"x"},"to":null}', [1023]],
])('what is still to be read is none: %s', { tags: 'long' }, async (_, position, missing) => {
  const unread = position.includes('"next":3') ? 'AND i NOT BETWEEN 3 AND 7' : '';
  const filled = `FROM range(2000) AS r(i) WHERE i <> 1023 ${unread}`;
  const { folder } = await published(
    `CREATE TABLE raw.node_containers AS SELECT 'X/tx' AS index_name, i AS index, 'c' || i AS id, CAST(NULL AS VARCHAR) AS parent_id ${filled};
     CREATE TABLE raw.node_platform_blocks AS SELECT i AS height, 'c' || i AS block_id, CAST(NULL AS VARCHAR) AS parent_id ${filled};
     INSERT INTO firn.checkpoint VALUES ('node/containers', 'index_name=X/tx|backfill', '${position}', 1, now()::TIMESTAMP),
       ('node/platform_blocks', 'all|backfill', '${position}', 1, now()::TIMESTAMP)`,
  );
  expect((await verifyWhole(folder)).failures).toEqual(
    missing.flatMap((at) => [
      { check: 'gap', item: 'raw.node_containers', message: `index ${at} of index_name X/tx is missing` },
      { check: 'gap', item: 'raw.node_platform_blocks', message: `height ${at} is missing` },
    ]),
  );
});

test('a reader database that shows another version, or none at all, is found', { tags: 'long' }, async () => {
  const warehouse = await published();
  const reader = join(warehouse.folder, 'analytics.duckdb');
  await copyFile(reader, `${reader}.old`);
  await warehouse.run(`UPDATE mart.metric SET numerator = 1`);
  await publish(warehouse, { ...cut, runId: 'r2' });
  await copyFile(`${reader}.old`, `${reader}.older`);
  await rm(reader);
  expect((await verifyWhole(warehouse.folder)).failures).toMatchObject([{ check: 'reader', item: 'analytics.duckdb' }]);
  await copyFile(`${reader}.old`, reader);
  expect((await verifyWhole(warehouse.folder)).failures).toEqual([
    {
      check: 'reader',
      item: 'analytics.duckdb',
      message: 'it shows version 1, the manifest is version 2; run `firn publish`',
    },
  ]);
});

test('nothing published is said so', async () => {
  await expect(verifyWhole(await temporary(awkward))).rejects.toMatchObject({ code: 'not_found' });
});

test('publishes that end meanwhile are no harm, also where they keep one version alone, and hide none', {
  tags: 'long',
}, async () => {
  const { warehouse, config } = await project({ sources: {}, pipelines: {}, publish: { keepVersions: 1 } });
  let version = 0;
  const publishAnother = () => {
    writeFileSync(join(warehouse, 'refs', 'labels.csv'), `label\n${++version}\n`);
    execFileSync(process.execPath, [mainFile(), '--config', config, '--quiet', 'publish'], { stdio: 'pipe' });
  };
  mkdirSync(join(warehouse, 'refs'));
  writeFileSync(
    join(warehouse, 'refs', 'large.csv'),
    `label\n${Array.from({ length: 9999 }, (_, i) => i).join('\n')}\n`,
  );
  publishAnother();
  const begun: number[] = [];
  const verify = () =>
    verifyWhole(warehouse, (done) => {
      if (done === 0 && begun.push(done) < 9) publishAnother();
    });
  expect(await verify()).toMatchObject({ ok: true, version: 1, failures: [] });
  expect(begun).toHaveLength(1);
  // Nothing keeps the files that were hashed.
  await rm(join(warehouse, 'analytics.duckdb'));
  const late: number[] = [];
  const repeated = await verifyWhole(warehouse, (done, total) => {
    if (done === total && late.push(done) === 1) publishAnother();
  });
  expect([repeated.ok, repeated.version, late.length]).toEqual([true, 3, 2]);
  const manifest = await readCurrent(warehouse);
  const path = manifest?.tables.find(({ name }) => name === 'large')?.files.at(0)?.path ?? '';
  await overwrite(join(warehouse, 'lake', path));
  expect((await verify()).failures).toMatchObject([{ check: 'changed', item: path }]);
  expect(begun.length).toBeLessThan(5);
});

test('what the very first publish showed before it was ended is whole; its files are told as missing once they are gone, until a publish', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(loads);
  const failAt = (step: string) => {
    if (step === 'current') throw new Error('ended');
  };
  await expect(publish(warehouse, { ...cut, runId: 'r1', failAt })).rejects.toThrow('ended');
  const { folder } = warehouse;
  expect(await readCurrent(folder)).toBeUndefined();
  expect(await verifyWhole(folder)).toMatchObject({ ok: true, version: 1, failures: [] });
  await rm(join(folder, 'lake'), { recursive: true });
  await expect(verifyWhole(folder)).rejects.toThrow(/The files of version 1, .* are missing\. Run `firn publish`/);
  await publish(warehouse, { ...cut, runId: 'r2' });
  expect(await verifyWhole(folder)).toMatchObject({ ok: true });
});
