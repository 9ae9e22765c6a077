import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { listVersions } from '../../../src/publish/manifest.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { versionsInUse } from '../../../src/publish/reader/openReaders.ts';
import { builtFile } from '../../../src/report/builtFile.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { awkward, sampleWarehouse } from '../sampleWarehouse.ts';
import { verifyWhole } from '../verify/verifyWhole.ts';

/** A notebook in another process: it opens the reader database once and answers one query a line. */
const notebook = `
  const { DuckDBInstance } = await import(process.argv[2]);
  const instance = await DuckDBInstance.create(process.argv[1], { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  console.log('open');
  for await (const sql of (await import('node:readline')).createInterface({ input: process.stdin })) {
    const reader = await connection.runAndReadAll(sql);
    console.log(JSON.stringify(reader.getRowsJson()));
  }
`;

/** A program that keeps what it opened, whatever else it opens, closes and asks in vain. */
const program = `
  const { openWarehouse } = await import(process.argv[2]);
  const warehouse = process.argv[1].replace(/.analytics.duckdb$/, '');
  const [kept, other] = [await openWarehouse({ warehouse }), await openWarehouse({ warehouse })];
  await kept.query('SELECT nothing').catch(() => {});
  other.close();
  console.log('open');
  for await (const sql of (await import('node:readline')).createInterface({ input: process.stdin })) {
    console.log(JSON.stringify((await kept.query(sql)).map(Object.values)));
  }
`;
const library = builtFile('library.js');

interface Notebook {
  ask(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

const api = join(process.cwd(), 'node_modules/@duckdb/node-api/lib/index.js');

async function openNotebook(folder: string, script = notebook, imported = api): Promise<Notebook> {
  const path = join(folder, 'analytics.duckdb');
  const args = ['--input-type=module', '-e', script, path, pathToFileURL(imported).href];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('open');
  return {
    async ask(sql) {
      child.stdin?.write(`${sql}\n`);
      return JSON.parse((await lines.next()).value);
    },
    async close() {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

const sum = 'SELECT sum(numerator) FROM mart.metric';

test('a notebook in another process keeps its version however many follow; a new one sees the newest', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  await publish(warehouse, { runId: 'r1' });
  const old = await openNotebook(folder);
  expect(await old.ask(sum)).toEqual([['200']]);
  for (let i = 2; i <= 3; i++) {
    await warehouse.run(`UPDATE mart.metric SET numerator = ${i}`);
    await publish(warehouse, { runId: `r${i}`, keepVersions: 1 });
    expect(await old.ask(sum)).toEqual([['200']]);
  }
  expect(await listVersions(folder)).toEqual([1, 3]);
  const young = await openNotebook(folder);
  expect(await young.ask(sum)).toEqual([['600']]);
  await old.close();
  await warehouse.run('UPDATE mart.metric SET numerator = 4');
  expect((await publish(warehouse, { runId: 'r4', keepVersions: 1 })).removed).toBeGreaterThan(0);
  expect(await listVersions(folder)).toEqual([3, 4]);
  expect(await young.ask(sum)).toEqual([['600']]);
  await young.close();
});

test('a tool that opened it for writing keeps its version, and what is held back stays; firn says who keeps others out', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await warehouse.run('CREATE VIEW mart.shown AS SELECT 1 AS version; UPDATE mart.metric SET numerator = 1');
  await publish(warehouse, { runId: 'r1' });
  await chmod(join(folder, 'analytics.duckdb'), 0o644);
  const tool = await openNotebook(folder, notebook.replace("{ access_mode: 'READ_ONLY' }", '{}'));
  const told = { code: 'locked', message: expect.stringContaining('open for writing') };
  await expect(openReader(folder)).rejects.toMatchObject(told);
  await expect(verifyWhole(folder)).rejects.toMatchObject(told);
  await warehouse.run(`INSERT INTO firn.held_back VALUES ('mart.shown', 'assert_x', now()::TIMESTAMP, 'x');
    CREATE OR REPLACE VIEW mart.shown AS SELECT 2 AS version`);
  for (let i = 2; i <= 3; i++) {
    await warehouse.run(`UPDATE mart.metric SET numerator = ${i}`);
    await publish(warehouse, { runId: `r${i}`, keepVersions: 1 });
    expect(await tool.ask(sum)).toEqual([['200']]);
  }
  const reader = await openReader(folder);
  expect(await reader.query('SELECT version FROM mart.shown')).toEqual([{ version: 1 }]);
  reader.close();
  await tool.close();
});

test('a program keeps its version, too, whatever else it opens and closes', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  await publish(warehouse, { runId: 'r1' });
  const kept = await openNotebook(folder, program, library);
  for (let i = 2; i <= 3; i++) {
    await warehouse.run(`UPDATE mart.metric SET numerator = ${i}`);
    await publish(warehouse, { runId: `r${i}`, keepVersions: 1 });
    expect(await kept.ask(sum)).toEqual([['200']]);
  }
  await kept.close();
});

test('a reader of this process keeps its version too', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1' });
  const reader = await openReader(warehouse.folder);
  const before = await reader.query(sum);
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  await publish(warehouse, { runId: 'r2', keepVersions: 1 });
  await publish(warehouse, { runId: 'r3', keepVersions: 1 });
  expect(await reader.query(sum)).toEqual(before);
  // Its bytes are not those of the newest version, which is no harm.
  await expect(reader.query('SELECT nothing')).rejects.toThrow(/^Binder Error/);
  reader.close();
  await publish(warehouse, { runId: 'r4', keepVersions: 1 });
  expect(await listVersions(warehouse.folder)).toEqual([2]);
});

test('a reader that is closed still answers what it was asked before, and refuses what it is asked then', async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1' });
  const reader = await openReader(warehouse.folder);
  const asked = reader.query('SELECT count(*) AS n FROM mart.metric');
  reader.close();
  expect(await asked).toEqual([{ n: 200n }]);
  const late = { code: 'usage', message: expect.stringContaining('was closed') };
  await expect(reader.query('SELECT 1 AS one')).rejects.toMatchObject(late);
});

test('the last N versions stay', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  for (let i = 1; i <= 4; i++) {
    await warehouse.run(`UPDATE mart.metric SET numerator = ${i}`);
    await publish(warehouse, { runId: `r${i}` });
  }
  expect(await listVersions(warehouse.folder)).toEqual([2, 3, 4]);
});

test('a write-ahead log left beside the old version does not reach the new one', async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r1' });
  await writeFile(join(warehouse.folder, 'analytics.duckdb.wal'), 'stale');
  await publish(warehouse, { runId: 'r2' });
  const instance = await DuckDBInstance.create(join(warehouse.folder, 'analytics.duckdb'), {
    access_mode: 'READ_ONLY',
  });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll('SELECT count(*) FROM mart.metric');
  expect(reader.getRows()).toEqual([[200n]]);
  instance.closeSync();
});

test('a kept reader database that is damaged is not in use, whatever its folder is called', async () => {
  const folder = join(await temporary(awkward), 'blockchain lock');
  const warehouse = await temporaryWarehouse([], folder);
  const readers = join(folder, 'lake', '_readers');
  await mkdir(readers, { recursive: true });
  await writeFile(join(readers, '1-1-1-1.duckdb'), 'not a database');
  expect(await versionsInUse(folder, warehouse)).toEqual(new Set());
  expect(await readdir(readers)).toEqual([]);
});
