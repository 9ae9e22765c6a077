import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lakeFolder, readCurrent, writeVersion } from '../../../src/publish/manifest.ts';
import { publish } from '../../../src/publish/publish.ts';
import { isWhole } from '../../../src/publish/versions/isWhole.ts';
import { sampleWarehouse } from '../sampleWarehouse.ts';

test('a version is whole while it is the newest one there is, and none of its files is gone', async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await publish(warehouse, { runId: 'r1' });
  const shown = await readCurrent(folder);
  expect([await isWhole(folder, 1), await isWhole(folder, 2)]).toEqual([true, false]);
  const file = shown?.tables.flatMap(({ files }) => files)[0]?.path ?? '';
  await rm(join(lakeFolder(folder), file));
  expect(await isWhole(folder, 1)).toBe(false);
});

test('a version is not whole where a publish ended before readers saw the next one', async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await publish(warehouse, { runId: 'r1' });
  const shown = await readCurrent(folder);
  if (shown) await writeVersion(folder, { ...shown, version: 2 });
  expect([await isWhole(folder, 1), await isWhole(folder, 2)]).toEqual([false, false]);
});
