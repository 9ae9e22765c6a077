import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readCheckpoint } from '../../../src/load/commit/checkpoints.ts';
import { prepareBatch, writeBatch } from '../../../src/load/commit/commit.ts';
import type { Transaction } from '../../../src/load/database/transaction.ts';
import { createWriter } from '../../../src/load/database/writer.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { projectRoot } from '../../cli/firnProcess.ts';
import { temporary } from '../../temporaryFolders.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';
import { batchOf, partition, transfer, transfersStream } from '../transfers.ts';

/** A warehouse with a table of numbers; timers stand still, so that nothing is committed by them. */
async function opened(memory: Parameters<typeof temporaryWarehouse>[2] = {}): Promise<Warehouse> {
  const warehouse = await temporaryWarehouse([], undefined, memory);
  await warehouse.run('CREATE TABLE raw.numbers (n INTEGER)');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return warehouse;
}

const insert = (n: number) => (tx: Transaction) => tx.run('INSERT INTO raw.numbers VALUES ($1)', [n]);
const fail = (tx: Transaction) => tx.run(`INSERT INTO raw.numbers SELECT error('no such luck')::INTEGER`);
const numbers = async (warehouse: Pick<Warehouse, 'query'>) =>
  (await warehouse.query<{ n: number }>('SELECT n FROM raw.numbers ORDER BY n')).map(({ n }) => n);

/** What the next run would find if this one were killed now. */
async function afterKill({ folder }: Warehouse, tables: Parameters<typeof temporaryWarehouse>[0] = []) {
  const copy = await temporary();
  // By another process: closing the file in this one would give up its lock.
  await promisify(execFile)('cp', ['-r', join(folder, '.state'), copy]);
  return temporaryWarehouse(tables, copy);
}

test('all that is asked has its turn, in order; nobody sees half of a batch', async () => {
  const warehouse = await opened();
  const seen: number[][] = [];
  const look = () => numbers(warehouse).then((found) => seen.push(found));
  const two = (first: number) => async (tx: Transaction) => {
    await insert(first)(tx);
    await new Promise(setImmediate);
    await insert(first + 1)(tx);
  };
  await Promise.all([
    warehouse.write({}, 1, two(1)),
    look(),
    warehouse.transaction(two(3)),
    look(),
    warehouse.run('DELETE FROM raw.numbers WHERE n = 1'),
    look(),
  ]);
  expect(seen).toEqual([
    [1, 2],
    [1, 2, 3, 4],
    [2, 3, 4],
  ]);
});

test('batches of all reads share a transaction: they are durable together, once it is committed', async () => {
  const warehouse = await opened();
  const told: number[] = [];
  for (const n of [1, 2, 3]) {
    const { durable } = await warehouse.write({}, 1, insert(n));
    void durable.then(() => told.push(n));
  }
  expect(await numbers(warehouse)).toEqual([1, 2, 3]);
  expect([told, await numbers(await afterKill(warehouse))]).toEqual([[], []]);
  await warehouse.commit();
  expect([told, await numbers(await afterKill(warehouse))]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test.each<[string, (warehouse: Warehouse) => Promise<unknown>]>([
  ['two seconds', async () => vi.advanceTimersByTime(2000)],
  ['200 MB of answers', (warehouse) => warehouse.write({}, 199e6 + 1, async () => {})],
  ['a transaction', (warehouse) => warehouse.transaction(async () => {})],
  ['a statement', (warehouse) => warehouse.run('SELECT 1')],
])('%s make durable what was written before', async (_, pass) => {
  const warehouse = await opened();
  const { durable } = await warehouse.write({}, 1e6, insert(1));
  await pass(warehouse);
  await durable;
  expect(await numbers(await afterKill(warehouse))).toEqual([1]);
});

test('a large commit writes the tables at once, a small one the log', async () => {
  const warehouse = await opened();
  await warehouse.run('CREATE TABLE raw.texts (text VARCHAR)');
  const logged = async (bytes: number) => {
    await warehouse.write({}, bytes, (tx) =>
      tx.run('INSERT INTO raw.texts SELECT repeat(md5(n::VARCHAR), 4) FROM range(20_000) AS t(n)'),
    );
    await warehouse.commit();
    return (await stat(join(warehouse.folder, '.state', 'firn.duckdb.wal')).catch(() => ({ size: 0 }))).size;
  };
  expect(await logged(1)).toBeGreaterThan(1e6);
  expect(await logged(100e6)).toBeLessThan(1e6);
  expect(await logged(1)).toBeGreaterThan(1e6);
});

test('the time begins with each transaction: one that was committed early is not cut short', async () => {
  const warehouse = await opened();
  const states: string[] = [];
  const write = async (n: number) => {
    const { durable } = await warehouse.write({}, 1, insert(n));
    void durable.then(() => states.push(`${n} is durable`));
  };
  await write(1);
  vi.advanceTimersByTime(1500);
  await warehouse.commit();
  await write(2);
  vi.advanceTimersByTime(1999);
  await warehouse.query('SELECT 1');
  states.push('after 1999 ms');
  vi.advanceTimersByTime(1);
  await warehouse.query('SELECT 1');
  expect(states).toEqual(['1 is durable', 'after 1999 ms', '2 is durable']);
});

test('a batch that fails takes back the others of its transaction; from then on each is a transaction of its own', async () => {
  const warehouse = await opened();
  await warehouse.write({}, 1, insert(0));
  await warehouse.commit();
  const [one, two, bad] = [{}, {}, {}];
  const first = await warehouse.write(one, 1, insert(1));
  const second = await warehouse.write(two, 1, insert(2));
  const rolledBack = { code: 'rolled_back', retryable: true, message: expect.stringContaining('no such luck') };
  await expect(warehouse.write(bad, 1, fail)).rejects.toMatchObject(rolledBack);
  await expect(first.durable).rejects.toMatchObject(rolledBack);
  await expect(second.durable).rejects.toMatchObject(rolledBack);
  expect(await numbers(warehouse)).toEqual([0]);
  // A batch that would follow the lost rows is refused.
  await expect(warehouse.write(one, 1, insert(3))).rejects.toMatchObject(rolledBack);
  // Read again, the good ones stay and the bad one fails alone.
  await (await warehouse.write({}, 1, insert(1))).durable;
  await expect(warehouse.write({}, 1, fail)).rejects.toThrow(/no such luck/);
  await expect(warehouse.write({}, 1, fail)).rejects.not.toMatchObject({ code: 'rolled_back' });
  await (await warehouse.write({}, 1, insert(2))).durable;
  expect(await numbers(await afterKill(warehouse))).toEqual([0, 1, 2]);
});

test('a batch that fails before others share its transaction fails alone', async () => {
  const warehouse = await opened();
  await expect(warehouse.write({}, 1, fail)).rejects.not.toMatchObject({ code: 'rolled_back' });
  const { durable } = await warehouse.write({}, 1, insert(1));
  expect(await numbers(await afterKill(warehouse))).toEqual([]);
  await warehouse.commit();
  await durable;
  expect(await numbers(warehouse)).toEqual([1]);
});

test('a batch that is refused before it changed anything, and a wrong query, harm no other', async () => {
  const warehouse = await opened();
  const { durable } = await warehouse.write({}, 1, insert(1));
  const refused = async (tx: Transaction) => {
    await tx.query('SELECT 1');
    throw new Error('the checkpoint is another');
  };
  await expect(warehouse.write({}, 1, refused)).rejects.toThrow('the checkpoint is another');
  await expect(warehouse.query('SELECT nothing')).rejects.toThrow(/nothing/);
  await warehouse.commit();
  await durable;
  expect(await numbers(await afterKill(warehouse))).toEqual([1]);
});

test('of a batch that wrote something before it failed by itself nothing is committed', async () => {
  const warehouse = await opened();
  const half = async (tx: Transaction) => {
    await insert(1)(tx);
    throw new Error('no such luck');
  };
  await expect(warehouse.write({}, 1, half)).rejects.toThrow('no such luck');
  await warehouse.write({}, 1, insert(2));
  await warehouse.commit();
  expect(await numbers(warehouse)).toEqual([2]);
});

test('a query that fails while it runs ends the transaction under it: no batch counts as durable that is not', async () => {
  const warehouse = await opened();
  const { durable } = await warehouse.write({}, 1, insert(1));
  await expect(warehouse.query(`SELECT error('while it runs')`)).rejects.toThrow('while it runs');
  await expect(durable).rejects.toMatchObject({ code: 'rolled_back' });
  expect(await numbers(warehouse)).toEqual([]);
});

test('a transaction is whole, or nothing of it is there', async () => {
  const warehouse = await opened();
  await warehouse.transaction(insert(1), false);
  const thrown = warehouse.transaction(async (tx) => {
    await insert(2)(tx);
    throw new Error('in the middle');
  });
  await expect(thrown).rejects.toThrow('in the middle');
  // DuckDB's COMMIT of a transaction in which a statement failed takes it back without a word.
  const swallowed = warehouse.transaction(async (tx) => {
    await insert(3)(tx);
    await fail(tx).catch(() => {});
  });
  await expect(swallowed).rejects.toThrow(/aborted/);
  await warehouse.transaction(insert(4));
  expect(await numbers(await afterKill(warehouse))).toEqual([4]);
});

test('a kill between the writing of batches and their commit leaves the last durable state, whole', {
  tags: 'long',
}, async () => {
  const stream = transfersStream();
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const read = {};
  const write = async (height: number) => {
    const raws = [transfer(height, ['5', '6']), { height: `x${height}` }];
    const batch = prepareBatch(stream, partition, batchOf(stream, raws));
    const [from, to] = [height === 1 ? null : { next: height }, { next: height + 1 }];
    await warehouse.write(read, 1, (tx) => writeBatch(tx, { stream, partition, runId: 'run', batch, from, to }));
  };
  const found = async () => {
    const state = await afterKill(warehouse, tablesOf([stream]));
    const [counts] = await state.query(
      `SELECT (SELECT count(*) FROM raw.data_transfers)::INTEGER AS "rows", (SELECT count(*) FROM raw.data_transfers_parts)::INTEGER AS children,
         (SELECT count(*) FROM firn.quarantine)::INTEGER AS aside, (SELECT count(*) FROM firn.load)::INTEGER AS loads`,
    );
    return { ...counts, at: await readCheckpoint(state, stream.id, 'chain_id=43112') };
  };
  await write(1);
  await write(2);
  expect(await found()).toEqual({ rows: 0, children: 0, aside: 0, loads: 0, at: null });
  await warehouse.commit();
  await write(3);
  expect(await found()).toEqual({ rows: 2, children: 4, aside: 2, loads: 2, at: { next: 3 } });
});

test('a process that is killed before it commits leaves what it had committed', { tags: 'long' }, async () => {
  const folder = await temporary();
  const script = join(folder, 'write.mjs');
  const built = pathToFileURL(join(projectRoot, 'dist', 'src', 'load', 'state', 'warehouse.js'));
  await writeFile(
    script,
    `import { openWarehouse } from '${built}';
     const warehouse = await openWarehouse({ folder: ${JSON.stringify(folder)}, tables: [] });
     await warehouse.run('CREATE TABLE raw.numbers (n INTEGER)');
     const read = {};
     // More than a row group, whose rows DuckDB writes into the file before they are committed.
     const write = (n) => warehouse.write(read, 1, (tx) => tx.run(\`INSERT INTO raw.numbers SELECT \${n} FROM range(200000)\`));
     await write(1);
     await warehouse.commit();
     await write(2);
     console.log('written');
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const warehouse = await temporaryWarehouse([], folder);
  expect(await warehouse.query('SELECT n, count(*)::INTEGER AS "rows" FROM raw.numbers GROUP BY n')).toEqual([
    { n: 1, rows: 200_000 },
  ]);
});

test('a batch that does not fit into the memory is read again with more, until there is no more', async () => {
  const warehouse = await opened({ memoryLimit: '16MB', roomierLimits: ['17MB', '400MB'] });
  const large = (tx: Transaction) =>
    tx.run('INSERT INTO raw.numbers SELECT len(list(n)) FROM range(2000000) AS many(n)');
  const other = {};
  await warehouse.write(other, 1, insert(1));
  for (const read of [{}, {}])
    await expect(warehouse.write(read, 1, large)).rejects.toMatchObject({ code: 'rolled_back', retryable: true });
  // The reads that shared the transaction begin again, too, and go on sharing one.
  await expect(warehouse.write(other, 1, insert(2))).rejects.toMatchObject({ code: 'rolled_back' });
  const again = await Promise.all([warehouse.write({}, 1, large), warehouse.write({}, 1, insert(1))]);
  await warehouse.commit();
  await Promise.all(again.map(({ durable }) => durable));
  expect(await numbers(warehouse)).toEqual([1, 2_000_000]);
  await warehouse.run("SET memory_limit = '16MB'");
  await expect(warehouse.write({}, 1, large)).rejects.toThrow(/Out of Memory|more memory than it may take/);
});

test('DuckDB keeps its memory while little is read, and what it was to have then does not limit a batch that does not fit before', async () => {
  const limitOf = async (warehouse: Warehouse) => {
    const [row] = await warehouse.query<{ mib: number }>(
      "SELECT round(parse_formatted_bytes(current_setting('memory_limit')) / 1e6)::INTEGER AS mib",
    );
    return row?.mib;
  };
  const small = await opened({ memoryLimit: '100MB' });
  small.narrowTo('64MB');
  await small.write({}, 20e6, insert(1));
  expect(await limitOf(small)).toBe(100);
  await small.write({}, 4e6, insert(2));
  expect(await limitOf(small)).toBe(64);
  // Once is enough: a later phase has what it asks for.
  await small.run("SET memory_limit = '200MB'");
  await small.write({}, 90e6, insert(3));
  expect(await limitOf(small)).toBe(200);
  expect(await numbers(small)).toEqual([1, 2, 3]);

  const wide = await opened({ memoryLimit: '16MB', roomierLimits: ['12MB', '400MB'] });
  wide.narrowTo('10MB');
  const large = (tx: Transaction) =>
    tx.run('INSERT INTO raw.numbers SELECT len(list(n)) FROM range(2000000) AS many(n)');
  await expect(wide.write({}, 1, large)).rejects.toMatchObject({ code: 'rolled_back' });
  await wide.write({}, 90e6, large);
  expect(await limitOf(wide)).toBe(400);
});

test('a commit that does not fit where it is written into the tables ends the database: it is attached again, and the batch read again', {
  tags: 'long',
}, async () => {
  const warehouse = await opened({ memoryLimit: '400MB', roomierLimits: ['400MB'] });
  const columns = Array.from({ length: 40 }, (_, at) => `md5((n * ${at + 1})::VARCHAR) AS c${at}`).join(', ');
  const wide = (rows: number) => `SELECT ${columns} FROM range(${rows}) AS many(n)`;
  const tables = Array.from({ length: 10 }, (_, at) => `raw.wide_${at}`);
  await warehouse.run('SET threads = 1');
  for (const table of tables) await warehouse.run(`CREATE TABLE ${table} AS ${wide(6000)}`);
  await warehouse.run('CHECKPOINT state');
  const write = () => warehouse.write({}, 65e6, (tx) => tx.run(`INSERT INTO raw.wide_0 ${wide(200)}`));
  let expected = 6000;
  let refused: unknown;
  for (let limit = 60; refused === undefined && limit >= 28; limit -= 4) {
    await warehouse.run(`SET memory_limit = '${limit}MB'`);
    for (const table of tables) await warehouse.run(`INSERT INTO ${table} ${wide(150)}`);
    const told = (await write()).durable.catch((error) => error);
    await warehouse.commit();
    refused = await told;
    expected += refused === undefined ? 350 : 150;
  }
  expect(refused).toMatchObject({ code: 'rolled_back', message: expect.stringContaining('Checkpoint failed') });
  const again = await write();
  await warehouse.commit();
  await again.durable;
  const [rows] = await warehouse.query('SELECT count(*)::INTEGER AS "rows" FROM raw.wide_0');
  expect(rows).toEqual({ rows: expected + 200 });
});

test('where DuckDB is dead when it should get more memory, its batches are told', async () => {
  let isDead = false;
  const connection = {
    registerTableFunction() {},
    async run(sql: string) {
      if (isDead) throw new Error('FATAL Error: database has been invalidated because of a previous fatal error');
      if (!sql.includes('COMMIT')) return { rowsChanged: 0, chunkCount: 0 };
      isDead = true;
      throw new Error(
        'TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (64.0 MiB/64.0 MiB used)',
      );
    },
  } as unknown as DuckDBConnection;
  const writer = createWriter(connection, ['256MB']);
  const { durable } = await writer.write({}, 1, (tx) => tx.run('INSERT'));
  const told = expect(durable).rejects.toThrow(/more memory than it may take/);
  await writer.commit();
  await told;
});
