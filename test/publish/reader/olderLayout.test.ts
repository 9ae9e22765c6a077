/** @module-tag long */
import { cp, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { literal } from '../../../src/core/text/sqlText.ts';
import { sha256File } from '../../../src/disk/sha256File.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { readCatalogue } from '../../../src/publish/files/publishedTables.ts';
import {
  type Manifest,
  type ManifestTable,
  readCurrent,
  writeCurrent,
  writeVersion,
} from '../../../src/publish/manifest.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { buildReaderDatabase, swapReaderDatabase } from '../../../src/publish/reader/readerDatabase.ts';
import { readerTargets } from '../../../src/publish/reader/readerPaths.ts';
import { cut, sampleWarehouse } from '../sampleWarehouse.ts';
import { verifyWhole } from '../verify/verifyWhole.ts';

/** Puts the files of the blocks where firn 0.1 had them: chains in the names of folders alone, one of them NULL, and months below. */
async function asOlderVersion(warehouse: Warehouse): Promise<Manifest> {
  const { folder } = warehouse;
  const before = (await readCurrent(folder)) as Manifest;
  const place = async (table: ManifestTable): Promise<ManifestTable> => {
    if (table.name !== 'node_evm_blocks') return table;
    const files = [];
    for (const [chain, level] of [
      ['2oYMB/x y', '2oYMB%2Fx%20y'],
      ['43114', '43114'],
    ] as const) {
      const path = `raw/node_evm_blocks/chain_id=${level}/month=2026-01/1-999-v000001-aaaaaaaaaaaa.parquet`;
      const full = join(folder, 'lake', path);
      await mkdir(dirname(full), { recursive: true });
      const staged = join(folder, '.state', 'older.parquet');
      const select = `SELECT * EXCLUDE (chain_id) REPLACE (CAST(nonce AS DECIMAL(20,0)) AS nonce) FROM raw.node_evm_blocks WHERE chain_id = ${literal(chain)}`;
      await warehouse.run(`COPY (${select}) TO ${literal(staged)} (FORMAT parquet)`);
      await cp(staged, full);
      const told = { bytes: (await stat(full)).size, sha256: await sha256File(full), fingerprint: 'older:999:1' };
      files.push({ ...told, path, unit: JSON.stringify([chain, '2026-01']), rows: 999, first: '1', last: '999' });
    }
    return { ...table, partition_columns: ['chain_id', 'month'], files };
  };
  const manifest: Manifest = { ...before, tables: await Promise.all(before.tables.map(place)) };
  await writeVersion(folder, manifest);
  const [target] = await readerTargets(folder, undefined);
  if (!target) throw new Error('no reader');
  const catalogue = await readCatalogue(warehouse);
  const built = await buildReaderDatabase(folder, manifest, target, { source: warehouse, catalogue });
  await swapReaderDatabase(built);
  await writeCurrent(folder, manifest, [built.sha256]);
  return manifest;
}

const blocks = 'FROM raw.node_evm_blocks ORDER BY ALL';

test('a lake of folders by chain and month is read, verified, and published again as files of one folder; who has it open keeps it', async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await warehouse.run(`INSERT INTO firn.load SELECT _load_id, 'r1', 's', 'p', NULL, 1, 9999, 9999, 0, 0, NULL, NULL, '2026-01-01', 1, 0
    FROM (SELECT DISTINCT _load_id FROM raw.node_evm_blocks)`);
  await publish(warehouse, { ...cut, runId: 'r1' });
  await asOlderVersion(warehouse);
  const rows = await warehouse.query(blocks);
  const old = await openReader(folder);
  expect(await old.query(blocks)).toEqual(rows);
  // The next publish takes away what the version of the sample left without a name.
  const harmless = ({ check }: { check: string }) => check === 'foreign';
  expect((await verifyWhole(folder)).failures.every(harmless)).toBe(true);

  const result = await publish(warehouse, { ...cut, runId: 'r2', keepVersions: 1 });
  expect(result).toMatchObject({ version: 2, isNew: true });
  const table = (await readCurrent(folder))?.tables.find(({ name }) => name === 'node_evm_blocks');
  expect(table?.partition_columns).toBeUndefined();
  expect(table?.files.every(({ path }) => path.split('/').length === 3)).toBe(true);
  expect(await verifyWhole(folder)).toMatchObject({ ok: true, version: 2, failures: [] });
  const reader = await openReader(folder);
  expect(await reader.query(blocks)).toEqual(rows);
  expect(await old.query(blocks)).toEqual(rows);
  for (const open of [reader, old]) open.close();
  expect(await publish(warehouse, { ...cut, runId: 'r3', keepVersions: 1 })).toMatchObject({ version: 2, written: 0 });
  expect((await verifyWhole(folder)).files).toBe(result.written + result.reused);
});

test('a relation that is held back stays in the files of the older layout', async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  await asOlderVersion(warehouse);
  const rows = await warehouse.query(blocks);
  await warehouse.run(`INSERT INTO firn.held_back VALUES ('raw.node_evm_blocks', 'assert_x', now()::TIMESTAMP, 'x');
    DELETE FROM raw.node_evm_blocks WHERE "number" > 5`);
  await publish(warehouse, { ...cut, runId: 'r2' });
  const reader = await openReader(warehouse.folder);
  expect(await reader.query(blocks)).toEqual(rows);
  reader.close();
});
