import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBConnection } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { defineTable } from '../../../src/core/columns/table.ts';
import { int64, text } from '../../../src/index.ts';
import { diskError } from '../../../src/load/diskError.ts';
import { describeTables } from '../../../src/load/state/ensureTables.ts';
import { schemaVersion } from '../../../src/load/state/migrate.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { verifyState } from '../../../src/publish/verify/verifyState.ts';
import { temporary } from '../../temporaryFolders.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

/** By another process: closing the file in this one would give up its lock. */
const cp = (from: string, to: string) => promisify(execFile)('cp', [from, to]);

const table = (schema: z.ZodObject) =>
  defineTable({ name: 'raw.test_rows', description: 'Rows.', schema, key: ['number'] });
const before = table(z.object({ number: int64('Number.') }));

test('a second process that holds the warehouse is named', { tags: 'long' }, async () => {
  const folder = await temporary();
  await (await openWarehouse({ folder, tables: [before] })).close();
  const script = join(folder, 'hold.mjs');
  const file = join(folder, '.state', 'firn.duckdb');
  const api = import.meta.resolve('@duckdb/node-api');
  await writeFile(
    script,
    `import { DuckDBInstance } from '${api}'; const i = await DuckDBInstance.create('${file}'); await i.connect(); console.log('held'); setInterval(() => {}, 1000);`,
  );
  const holder = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(holder.stdout, 'data');
    await expect(openWarehouse({ folder, tables: [before] })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${holder.pid}`),
    });
  } finally {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  }
  await temporaryWarehouse([before], folder);
});

test('a process that has the warehouse open does not open it a second time, by whatever path', async () => {
  const folder = await temporary();
  const linked = `${folder}-linked`;
  await symlink(folder, linked);
  onTestFinished(() => rm(linked));
  const first = await openWarehouse({ folder, tables: [before] });
  for (const again of [folder, linked]) {
    await expect(openWarehouse({ folder: again, tables: [before] })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('is in use by this very process. Wait for it'),
    });
  }
  await first.run('INSERT INTO raw.test_rows (number, _load_id) VALUES (1, 1)');
  first.close();
  await temporaryWarehouse([before], folder);
});

test('of two that open a warehouse at once in one process, one does, and leaves it to others afterwards', async () => {
  const folder = await temporary();
  const opening = [1, 2].map(() => openWarehouse({ folder, tables: [before] }));
  const opened = (await Promise.allSettled(opening)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const one of opened) one.close();
  expect(opened).toHaveLength(1);
  expect(await readdir(join(folder, '.state'))).toEqual(['firn.duckdb']);
});

test('one that is closed while a statement is under way is let go of when that is over', async () => {
  const warehouse = await temporaryWarehouse([]);
  const asked = warehouse.query('SELECT count(hash(i)) AS n FROM range(10_000_000) AS r (i)');
  await new Promise(setImmediate);
  warehouse.close();
  expect(await asked).toEqual([{ n: 10_000_000n }]);
  await temporaryWarehouse([], warehouse.folder);
});

test.each(['another state', 'a newer one'])('a log of %s is named as what is to be moved away', async (which) => {
  const warehouse = await temporaryWarehouse([]);
  const [copy, state, log] = [await temporary(), join('.state', 'firn.duckdb'), join('.state', 'firn.duckdb.wal')];
  await mkdir(join(copy, '.state'));
  // A backup that was put back.
  if (which === 'a newer one') await cp(join(warehouse.folder, state), join(copy, state));
  await warehouse.run('CREATE TABLE raw.numbers (n INTEGER); CHECKPOINT state; INSERT INTO raw.numbers VALUES (1)');
  await cp(join(warehouse.folder, log), join(copy, log));
  await expect(temporaryWarehouse([], copy)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringMatching(
      /firn\.duckdb\.wal does not belong to the state .* Move the log away and run again\.$/,
    ),
  });
  await rm(join(copy, log));
  await temporaryWarehouse([], copy);
});

test('a newer schema version is refused and left alone', async () => {
  const folder = await temporary();
  const warehouse = await openWarehouse({ folder, tables: [before] });
  const newer = (await schemaVersion()) + 1;
  await warehouse.run(`INSERT INTO main.firn_schema_version VALUES (${newer}, 'later.sql', now()::TIMESTAMP)`);
  warehouse.close();
  await expect(openWarehouse({ folder, tables: [before] })).rejects.toMatchObject({
    code: 'newer_warehouse',
    message: expect.stringContaining(`schema version ${newer}`),
  });
});

test('a column that a schema gained is added, NULL in old rows; one that changed its type is refused', async () => {
  const folder = await temporary();
  const warehouse = await openWarehouse({ folder, tables: [before] });
  await warehouse.run('INSERT INTO raw.test_rows (number, _load_id) VALUES (1, 1)');
  warehouse.close();
  const after = table(z.object({ number: int64('Number.'), name: text('Name.') }));
  const grown = await openWarehouse({ folder, tables: [after] });
  expect(await grown.query('SELECT number, name FROM raw.test_rows')).toEqual([{ number: 1n, name: null }]);
  grown.close();
  const changed = table(z.object({ number: text('Number.') }));
  await expect(openWarehouse({ folder, tables: [changed] })).rejects.toMatchObject({
    code: 'newer_warehouse',
    message: expect.stringContaining('raw.test_rows.number is BIGINT'),
  });
});

test('descriptions and units are comments of the tables', async () => {
  const described = table(z.object({ number: int64('How many.', 'gas') }));
  const warehouse = await temporaryWarehouse([described], await temporary());
  await describeTables(warehouse, [described]);
  expect(
    await warehouse.query(
      "SELECT comment FROM duckdb_columns() WHERE table_name = 'test_rows' AND column_name = 'number'",
    ),
  ).toEqual([{ comment: 'How many. [gas]' }]);
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be written is an error of the disk', async () => {
  const folder = await temporary();
  await chmod(folder, 0o500);
  await expect(openWarehouse({ folder: join(folder, 'w'), tables: [] })).rejects.toMatchObject({ code: 'disk' });
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be read is an error of the disk', async () => {
  const folder = await temporary();
  (await openWarehouse({ folder, tables: [] })).close();
  await chmod(join(folder, '.state'), 0);
  onTestFinished(() => chmod(join(folder, '.state'), 0o700));
  await expect(openWarehouse({ folder, tables: [] })).rejects.toMatchObject({ code: 'disk' });
  await expect(verifyState(folder, new Map())).rejects.toMatchObject({ code: 'disk' });
});

test.each([
  ['IO Error: Could not write file "x": No space left on device', 'disk', 'Free some space'],
  ['EACCES: permission denied, mkdir', 'disk', 'no permission'],
  ['EROFS: read-only file system, open', 'disk', 'read-only. Mount it for writing'],
  // Where a message is cut, the next step is left.
  [
    `FATAL Error: ${'a table '.repeat(99)}No space left on device`,
    'disk',
    'Free some space and run again; what was committed stays. (FATAL',
  ],
])('%s is an error of the disk with the next step', (message, code, next) => {
  expect(diskError(new Error(message), 'write the warehouse')).toMatchObject({
    code,
    message: expect.stringContaining(next),
  });
});

test('a disk that is full where the tables are looked at is told as one', async () => {
  const folder = await temporary();
  (await openWarehouse({ folder, tables: [before] })).close();
  const { run } = DuckDBConnection.prototype;
  const spy = vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(function (
    this: DuckDBConnection,
    ...args
  ) {
    const isFull = args[0].startsWith('CREATE TABLE IF NOT EXISTS');
    return isFull ? Promise.reject(new Error('IO Error: No space left on device')) : run.apply(this, args);
  });
  try {
    await expect(openWarehouse({ folder, tables: [before] })).rejects.toMatchObject({ code: 'disk' });
  } finally {
    spy.mockRestore();
  }
});
