import { open, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { publish } from '../../../src/publish/publish.ts';
import { verifyState } from '../../../src/publish/verify/verifyState.ts';
import { temporary } from '../../temporaryFolders.ts';
import { awkward, layouts, sampleWarehouse } from '../sampleWarehouse.ts';

const load = (id: number) =>
  `INSERT INTO firn.load SELECT ${id}, 'r1', 's', 'p', NULL, 1, 1, 1, 0, 0, NULL, NULL, now()::TIMESTAMP, 1, 0`;

/** A published warehouse that nobody has open. */
async function published(): Promise<string> {
  const folder = await temporary(awkward);
  const warehouse = await sampleWarehouse(folder);
  await warehouse.run(`${load(1)}; ${load(2)}`);
  await publish(warehouse, { runId: 'r1' });
  warehouse.close();
  return folder;
}

const stateOf = (folder: string) => join(folder, '.state', 'firn.duckdb');

test('a whole state has no harm, and stays as it is', async () => {
  const folder = await published();
  const { mtimeMs } = await stat(stateOf(folder));
  expect(await verifyState(folder, new Map())).toEqual([]);
  expect((await stat(stateOf(folder))).mtimeMs).toBe(mtimeMs);
});

test('a state that cannot be reached is not called missing', async () => {
  const folder = await temporary();
  await symlink('.state', join(folder, '.state'));
  await expect(verifyState(folder, new Map())).rejects.toThrow('ELOOP');
});

test('a flipped bit is found wherever values lie, and the file is named', { tags: 'long' }, async () => {
  const folder = await published();
  const { size } = await stat(stateOf(folder));
  const handle = await open(stateOf(folder), 'r+');
  const flip = async (at: number) => {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, at);
    byte.writeUInt8(byte.readUInt8() ^ 4);
    await handle.write(byte, 0, 1, at);
  };
  // One byte of each block, and of the headers before them; blocks that are free may have anything in them.
  const places = [
    100,
    4196,
    8292,
    ...Array.from({ length: Math.floor(size / 262_144) }, (_, i) => 12_288 + i * 262_144 + 20),
  ];
  const found = [];
  for (const place of places) {
    await flip(place);
    found.push(await verifyState(folder, new Map()));
    await flip(place);
  }
  await handle.close();
  const harmed = found.flat();
  expect(harmed.length).toBeGreaterThan(places.length / 2);
  for (const failure of harmed) {
    expect(failure).toEqual({
      check: 'state',
      item: '.state/firn.duckdb',
      message: expect.stringMatching(/firn\.duckdb is damaged \(.*\)\. Restore it from a backup/),
    });
  }
});

test('loads that readers see and the state no longer has are counted, and so is a state that is gone', async () => {
  const folder = await published();
  const warehouse = await openWarehouse({ folder, tables: [] });
  await warehouse.run('DELETE FROM firn.load WHERE load_id = 2');
  warehouse.close();
  expect(await verifyState(folder, new Map())).toMatchObject([
    { message: expect.stringContaining('it has lost 1 loads that readers see') },
  ]);
  await rm(stateOf(folder));
  expect(await verifyState(folder, new Map())).toMatchObject([
    { message: expect.stringContaining('the file is missing') },
  ]);
});

test('files whose rows are not those of the state are named, and what is not published yet is no harm', {
  tags: 'long',
}, async () => {
  const folder = await temporary(awkward);
  const warehouse = await sampleWarehouse(folder);
  const noNews = "INSERT INTO firn.model VALUES ('mart.metric', 'h', now()::TIMESTAMP, 0, 0)";
  await warehouse.run(`${load(1)}; ${load(2)}; ${noNews}`);
  await publish(warehouse, { layouts, runId: 'r1' });
  const change =
    'UPDATE mart.metric SET numerator = numerator + 1 WHERE bucket = (SELECT min(bucket) FROM mart.metric)';
  await warehouse.run(change);
  warehouse.close();
  const [harm, ...others] = await verifyState(folder, layouts);
  expect(others).toEqual([]);
  expect(harm).toEqual({
    check: 'changed',
    item: expect.stringMatching(/^mart\/metric\/.*\.parquet$/),
    message: 'the state has other rows than this file',
  });
  const inState = async (sql: string) => {
    const { connection, close } = await openDuckDb({ folders: [folder] });
    await connection.run(`ATTACH '${stateOf(folder).replaceAll("'", "''")}' AS state; USE state; ${sql}`);
    close();
  };
  await inState('UPDATE main.firn_schema_version SET "version" = -"version"');
  expect(await verifyState(folder, layouts), 'a state of another version').toEqual([]);
  await inState(`UPDATE main.firn_schema_version SET "version" = -"version";
    INSERT INTO firn.rebuilt SELECT 'mart.metric', chain_id, min(bucket), min(bucket) + INTERVAL 1 HOUR FROM mart.metric GROUP BY 2`);
  expect(await verifyState(folder, layouts), 'what a build noted').toEqual([]);
});
