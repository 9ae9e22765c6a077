import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { openProject, openWhenFree } from '../../src/run/openProject.ts';
import type { Settings } from '../../src/run/settings.ts';
import { transfersStream } from '../load/transfers.ts';
import { temporary } from '../temporaryFolders.ts';

/** Holds a database until it is told to let go. */
const holding = `
  const { DuckDBInstance } = require('@duckdb/node-api');
  DuckDBInstance.create(process.argv[1]).then((instance) => {
    console.log('held');
    process.stdin.once('data', () => instance.closeSync());
    process.stdin.once('data', () => process.exit(0));
  });
`;

async function heldWarehouse() {
  const folder = await temporary();
  (await openWarehouse({ folder, tables: [] })).close();
  const file = join(folder, '.state', 'firn.duckdb');
  const child = spawn(process.execPath, ['-e', holding, file], { cwd: resolve(import.meta.dirname, '../..') });
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  return { options: { folder, tables: [] }, child };
}

test('waits until the other process lets go, and says for whom', { tags: 'long' }, async () => {
  const { options, child } = await heldWarehouse();
  const said: string[] = [];
  const onWait = (sentence: string) => {
    said.push(sentence);
    child.stdin.write('let go\n');
  };
  const { signal } = new AbortController();
  const warehouse = await openWhenFree(options, { waitMs: 60_000, signal, onWait });
  warehouse.close();
  expect(said).toEqual([expect.stringContaining(`is in use by process ${child.pid}`)]);
});

test('does not wait unless it is told to', { tags: 'long' }, async () => {
  const { options } = await heldWarehouse();
  const { signal } = new AbortController();
  await expect(openWhenFree(options, { waitMs: 0, signal })).rejects.toMatchObject({ code: 'locked', retryable: true });
});

test('stops waiting at a signal', async () => {
  const { options } = await heldWarehouse();
  const stop = new AbortController();
  const waiting = openWhenFree(options, { waitMs: 60_000, signal: stop.signal, onWait: () => stop.abort('SIGINT') });
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
});

test('says which members became columns with an upgrade, and moves them there', async () => {
  const folder = await temporary();
  const stream = transfersStream();
  const before = await openWarehouse({ folder, tables: tablesOf([stream]) });
  await before.run(`INSERT INTO raw.data_transfers BY NAME SELECT '1' AS chain_id, 1 AS height, '0x1' AS tx_hash, 1 AS value, 1 AS _load_id, '{"note":"x"}' AS _extra;
    INSERT INTO firn.schema_change VALUES ('data/transfers', 'note', '"x"', 1, now()::TIMESTAMP)`);
  before.close();
  const said: string[] = [];
  const log = { warn: (_: object, sentence: string) => void said.push(sentence), debug: () => {} };
  for (let times = 0; times < 2; times++) {
    const project = await openProject({ warehouse: folder } as Settings, { declared: [stream], log });
    expect(await project.warehouse.query('SELECT note, _extra FROM raw.data_transfers')).toEqual([
      { note: 'x', _extra: null },
    ]);
    project.close();
  }
  expect(said).toEqual([expect.stringContaining('data/transfers: "note" is a column')]);
});
