import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { checkCluster } from '../../../src/cluster/check/checkCluster.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openCluster } from '../../../src/cluster/openCluster.ts';
import type { Settings } from '../../../src/run/settings.ts';
import { listening } from '../../listening.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';

const settings = async (more: Partial<Settings> = {}) =>
  ({ control: await freshDatabase(), stage: await temporary(), ...more }) as Settings;
const told = async (given: Settings) =>
  (await checkCluster(given)).map(({ name, state, sentence }) => [name, state, sentence] as const);

test('a cluster that nobody worked for yet is fine, and stays as it is', { tags: 'long' }, async () => {
  const given = await settings();
  expect(await told(given)).toEqual([
    ['control', 'ok', expect.stringMatching(/^PostgreSQL \d+, set up by the first worker$/)],
    ['clock', 'ok', expect.stringMatching(/this machine$/)],
    ['stage', 'ok', expect.stringContaining('can be written')],
  ]);
  expect(await readdir(given.stage as string)).toEqual([]);
});

test('what belongs together is said by its id, and what does not is an error', async () => {
  const given = await settings();
  const { control, ledger } = await openCluster(given);
  await control.close();
  expect((await told(given))[0]?.[2]).toContain(ledger.warehouse);
  const other = await settings({ control: given.control as string });
  await writeFile(join(other.stage as string, 'firn-warehouse'), 'another');
  expect((await told(other)).at(-1)).toEqual([
    'stage',
    'fail',
    expect.stringContaining('belongs to the warehouse another'),
  ]);
});

test('an empty database beside a stage that is in use is refused, and stays empty for who restores it', async () => {
  const given = await settings();
  await (await openCluster(given)).control.close();
  const emptied = { ...given, control: await freshDatabase() };
  const message = expect.stringContaining('the control database to none yet');
  await expect(openCluster(emptied)).rejects.toMatchObject({ code: 'config', message });
  const control = await openControl(emptied.control, { connections: 1, migrates: false });
  onTestFinished(() => control.close());
  expect(await control.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'firn'`)).toEqual([]);
});

test('of two machines of a new cluster whose stages differ the second one is refused, before either has read anything', async () => {
  const given = await settings();
  const { control, stage } = await openCluster(given);
  onTestFinished(() => control.close());
  const other = await settings({ control: given.control as string });
  const message = expect.stringContaining(`other processes of this control database use ${stage.root}`);
  expect((await told(other)).at(-1)).toEqual(['stage', 'fail', message]);
  await expect(openCluster(other)).rejects.toMatchObject({ code: 'config', message });
  await control.query('UPDATE firn.warehouse SET stage = NULL');
  await (await openCluster(other)).control.close();
});

test('a stage in which the files of the control database do not lie is an error, and is not marked', async () => {
  const given = await settings();
  const { control, stage } = await openCluster(given);
  const add = (uri: string) =>
    control.query(
      `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256) VALUES (7, 'raw.x', $1, 1, 1, '')`,
      [uri],
    );
  await add(`${stage.root}x/7.parquet`);
  await (await openCluster(given)).control.close();
  // As where it is not mounted on this machine.
  const mark = join(given.stage as string, 'firn-warehouse');
  const id = await readFile(mark, 'utf8');
  await rm(mark);
  const lacking = expect.stringMatching(new RegExp(`lacks its mark, firn-warehouse.* says ${id}\\.$`));
  expect((await told(given)).at(-1)).toEqual(['stage', 'fail', lacking]);
  await expect(openCluster(given)).rejects.toMatchObject({ code: 'config', message: lacking });
  expect(await readdir(given.stage as string)).toEqual([]);
  await writeFile(mark, id);
  const other = { ...given, stage: await temporary() };
  const sentence = expect.stringContaining(`lie elsewhere, such as ${stage.root}x/7.parquet`);
  expect((await told(other)).at(-1)).toEqual(['stage', 'fail', sentence]);
  await expect(openCluster(other)).rejects.toMatchObject({ code: 'config', message: sentence });
  expect(await readdir(other.stage)).toEqual([]);
  // One folder above they are not looked for either.
  const above = { ...given, stage: dirname(given.stage as string) };
  await expect(openCluster(above)).rejects.toMatchObject({ code: 'config' });
  await control.close();
});

test.each([0, 9])("a mark of which a store kept %i characters is told from another warehouse's", async (kept) => {
  const given = await settings();
  const { control, ledger } = await openCluster(given);
  await control.close();
  await writeFile(join(given.stage as string, 'firn-warehouse'), ledger.warehouse.slice(0, kept));
  const message = expect.stringMatching(new RegExp(`cut short. Put it back, a text that says ${ledger.warehouse};`));
  expect((await told(given)).at(-1)).toEqual(['stage', 'fail', message]);
  await expect(openCluster(given)).rejects.toMatchObject({ code: 'config', message });
});

test('a store that puts a second object in the place of the first is an error', async () => {
  const held = new Map<string, Buffer>();
  const server = createServer(async (asked, answer) => {
    const [path = ''] = (asked.url ?? '').split('?');
    const body = await buffer(asked);
    if (asked.method === 'PUT') held.set(path, body);
    if (asked.method === 'POST') held.clear();
    const found = held.get(path);
    if (asked.method === 'POST') return void answer.end('<DeleteResult/>');
    if (found) return void answer.end(asked.method === 'PUT' ? '' : found);
    answer.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  });
  const { url: endpoint, close } = await listening(server);
  onTestFinished(close);
  const stage = { uri: 's3://b/x', endpoint, accessKey: 'a', secretKey: 'b' };
  expect((await told(await settings({ stage }))).at(-1)).toEqual([
    'stage',
    'fail',
    expect.stringContaining('s3://b/x/ overwrites an object that exists'),
  ]);
  expect(held.size).toBe(0);
});

test('a user without grants is told which ones it needs', async () => {
  const given = await settings();
  await (await openCluster(given)).control.close();
  const owner = await openControl(given.control as string);
  await owner.query(`CREATE ROLE reader_${process.pid} LOGIN`);
  await owner.query(`GRANT USAGE ON SCHEMA firn TO reader_${process.pid}`);
  await owner.close();
  const control = (given.control as string).replace('firn@', `reader_${process.pid}@`);
  const said = await told({ ...given, control });
  expect(said[0]).toEqual(['control', 'fail', expect.stringContaining('SELECT, INSERT, UPDATE, DELETE on firn.part')]);
  expect(said.at(-1)).toEqual(['stage', 'ok', expect.stringContaining('can be written')]);
});

test('a control database that takes no writes is an error, though all of it can be read', async () => {
  const given = await settings();
  await (await openCluster(given)).control.close();
  const control = `${given.control}?options=-c%20default_transaction_read_only=on`;
  const said = await told({ ...given, control });
  expect(said[0]).toEqual(['control', 'fail', expect.stringContaining('default_transaction_read_only is on')]);
  expect(said.at(-1)).toEqual(['stage', 'ok', expect.stringContaining('can be written')]);
});

test('a control database of a newer version is an error, as to every other command', async () => {
  const given = await settings();
  const { control } = await openCluster(given);
  await control.query(`INSERT INTO firn.migration (version, name) VALUES (999, 'x')`);
  await control.close();
  expect((await told(given))[0]).toEqual(['control', 'fail', expect.stringContaining('schema version 999')]);
});

test('while the control database does not answer the stage is not called that of another one', async () => {
  const given = await settings();
  await (await openCluster(given)).control.close();
  const said = await told({ ...given, control: 'postgresql://127.0.0.1:1/x' });
  expect(said.map(([name, state]) => [name, state])).toEqual([
    ['control', 'fail'],
    ['stage', 'ok'],
  ]);
});

test('what cannot be reached is said of each part', async () => {
  const given = await settings({ control: 'postgresql://firn:s3cret@127.0.0.1:1/x', stage: '/dev/null/stage' });
  const said = await told(given);
  expect(said.map(([name, state]) => [name, state])).toEqual([
    ['control', 'fail'],
    ['stage', 'fail'],
  ]);
  expect(JSON.stringify(said)).not.toContain('s3cret');
});
