import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { noteDropped, readDropped, tellDropped } from '../../../src/load/bookkeeping/droppedReads.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

test('what was dropped while the clock was ahead does not count as dropped until that time comes', async () => {
  const warehouse = await temporaryWarehouse([]);
  const drop = async (stream: string) => {
    await warehouse.transaction((tx) => noteDropped(tx, stream, ['all']));
    await tellDropped(warehouse);
  };
  await drop('data/chains');
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 86_400_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await drop('data/utxos');
  vi.mocked(Date.now).mockReturnValue(now);
  expect([...(await readDropped(warehouse.folder)).keys()]).toEqual(['data/chains all']);
  expect(await warehouse.query('SELECT * FROM firn.step')).toEqual([]);
});

test('what was dropped is told by a later command where it could not be written', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.transaction((tx) => noteDropped(tx, 'data/chains', ['all']));
  const inTheWay = join(warehouse.folder, '.state', 'dropped.json.new');
  await mkdir(join(inTheWay, 'full'), { recursive: true });
  await tellDropped(warehouse);
  expect(await readDropped(warehouse.folder)).toEqual(new Map());
  await rm(inTheWay, { recursive: true });
  await tellDropped(warehouse);
  expect([...(await readDropped(warehouse.folder)).keys()]).toEqual(['data/chains all']);
});
