import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { type Manifest, readCurrent } from '../../../src/publish/manifest.ts';
import { publish } from '../../../src/publish/publish.ts';
import { connectLake } from '../../../src/publish/verify/lakeConnection.ts';
import { verifyReader } from '../../../src/publish/verify/verifyReader.ts';
import { cut, sampleWarehouse } from '../sampleWarehouse.ts';

test('views that the reader database lacks, or that name other files, are found beside those of the connection itself', async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await publish(warehouse, { ...cut, runId: 'r1' });
  const reader = join(folder, 'analytics.duckdb');
  await chmod(reader, 0o600);
  const { connection, close } = await openDuckDb({ file: reader, folders: [folder] });
  await connection.run('DROP VIEW mart.metric; CREATE OR REPLACE VIEW raw.node_evm_blocks AS SELECT 1 AS "number"');
  close();
  const lake = await connectLake(folder, reader);
  onTestFinished(() => lake.close());
  const manifest = (await readCurrent(folder)) as Manifest;
  await lake.show(manifest.tables);
  const harm = (item: string, what: string) => ({ check: 'reader', item, message: `${what}; run \`firn publish\`` });
  expect((await verifyReader(lake, manifest)).toSorted((a, b) => a.item.localeCompare(b.item))).toEqual([
    harm('mart.metric', 'the reader database has no view of it'),
    harm('raw.node_evm_blocks', 'its view does not name the files of the manifest'),
  ]);
});
