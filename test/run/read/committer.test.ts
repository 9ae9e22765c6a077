import { expect, onTestFinished, test, vi } from 'vitest';
import { emptyPage, parseRecords } from '../../../src/core/parse/parseRecords.ts';
import type { RowSet } from '../../../src/core/parse/rowSet.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readCheckpoint } from '../../../src/load/commit/checkpoints.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { Committer, createBatchBuilder } from '../../../src/run/read/committer.ts';
import type { ReadResult } from '../../../src/run/read/partitionContext.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { partition, transfer, transfersStream } from '../../load/transfers.ts';

const stream = transfersStream();
const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
const fullBytes = 8e6;

function committerOf(warehouse: Warehouse): { committer: Committer; done: ReadResult[] } {
  const done: ReadResult[] = [];
  const committed = (read: ReadResult) => done.push(read);
  const context = { warehouse, partition, network, runId: 'run', committed, takeRequests: () => 0 };
  return { committer: new Committer(stream, context as never, null), done };
}

/** Adds one transfer as a page whose size alone makes the batch full. */
function addPage({ batch }: Committer, height: number, bytes = fullBytes): RowSet {
  const page = parseRecords(stream, partition, network, [transfer(height)]);
  batch.add(page, 1, { request: { kind: 'get', path: '/transfers', weight: 1 }, bytes, fetchedAt: 1 });
  return page.set;
}

const heights = async (warehouse: Warehouse) =>
  (await warehouse.query<{ height: bigint }>('SELECT height FROM raw.data_transfers ORDER BY 1')).map(({ height }) =>
    Number(height),
  );
const checkpoint = (warehouse: Warehouse) => readCheckpoint(warehouse, stream.id, 'chain_id=43112');

test('a batch tells its first request and its newest answer, and of one page alone where what it holds all of begins', () => {
  const batch = createBatchBuilder();
  const add = (path: string, fetchedAt: number) => {
    const request = { kind: 'get', path, query: { status: undefined, hash: ['0x1', '\ud800'] }, weight: 1 } as const;
    batch.add(emptyPage(stream, partition), 0, { request, bytes: 1, fetchedAt, holdsFrom: 7 });
  };
  const request = 'GET /first?hash=0x1&hash=%EF%BF%BD';
  add('/first', 2);
  expect(batch.build()).toMatchObject({ request, fetchedAt: 2, holdsFrom: 7 });
  add('/second', 1);
  expect(batch.build()).toMatchObject({ request, fetchedAt: 2, holdsFrom: undefined, pages: 2 });
});

test('of many calls the first is told, and how many there are', () => {
  const batch = createBatchBuilder();
  const calls = [1, 2].map((height) => ({ method: 'eth_getBlockByNumber', params: [height], check: () => {} }));
  const request = { kind: 'rpcMany', path: '/ext/bc/C/rpc', calls } as const;
  batch.add(emptyPage(stream, partition), 0, { request, bytes: 1, fetchedAt: 1 });
  expect(batch.build().request).toBe('POST /ext/bc/C/rpc eth_getBlockByNumber [1] (first of 2)');
});

test('rows of small answers gather in one set', () => {
  const batch = createBatchBuilder();
  const [first, second] = [1, 2].map(() => batch.gathering(stream, partition));
  // Compared here: to print two sets of columns takes minutes.
  expect(first === second).toBe(true);
});

test('full batches are committed in order, the rest at the end', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const { committer, done } = committerOf(warehouse);
  for (let height = 1; height <= 6; height++) {
    addPage(committer, height, height === 2 ? 1 : fullBytes);
    await committer.commitIfFull({ next: height + 1 });
  }
  addPage(committer, 7, 1);
  await committer.finish({ next: 8 });
  expect(done.map(({ rows }) => rows)).toEqual([1, 2, 1, 1, 1, 1]);
  expect(await heights(warehouse)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await checkpoint(warehouse)).toEqual({ next: 8 });
});

test('a position that moved without rows is made durable, one that did not is not written again', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const { committer, done } = committerOf(warehouse);
  addPage(committer, 1);
  await committer.commitIfFull({ next: 2 });
  await committer.finish({ next: 2 });
  expect(done).toHaveLength(1);
  await committer.finish({ next: 9 });
  expect(done).toHaveLength(2);
  expect(await checkpoint(warehouse)).toEqual({ next: 9 });
});

test('a batch that no position covers leaves the checkpoint where it was', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const { committer } = committerOf(warehouse);
  for (const [place, to] of [{ next: 2 }, null, { next: 4 }].entries()) {
    addPage(committer, place + 1);
    await committer.commitIfFull(to);
  }
  await committer.finish(null);
  expect([await heights(warehouse), await checkpoint(warehouse)]).toEqual([[1, 2, 3], { next: 4 }]);
});

test('nothing is told as committed, nor is it over, where what was written cannot be made durable', async () => {
  const whole = await temporaryWarehouse(tablesOf([stream]));
  const said: string[] = [];
  const write = async <T>(...batch: Parameters<typeof whole.write<T>>) => {
    const { value } = await whole.write<T>(...batch);
    said.push('written');
    const durable = Promise.reject(new Error('the disk is full'));
    durable.catch(() => {});
    return { value, durable };
  };
  const commit = async () => {
    said.push('committed');
    await whole.commit();
  };
  const { committer, done } = committerOf({ ...whole, write, commit });
  addPage(committer, 1);
  await expect(committer.finish({ next: 2 })).rejects.toThrow('the disk is full');
  expect([said, done]).toEqual([['written', 'committed'], []]);
});

/** Reads on from the durable checkpoint; what stands at height 2 spoils its batch. */
async function readWithBatch(warehouse: Warehouse, spoil: (committer: Committer) => void) {
  const { committer, done } = committerOf(warehouse);
  for (let height = 1; height <= 3; height++) {
    addPage(committer, height);
    if (height === 2) spoil(committer);
    await committer.commitIfFull({ next: height + 1 }).catch(() => {});
  }
  return { committer, done };
}

test('behind a batch that cannot be made ready nothing is written: no checkpoint passes its rows', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const spoil = ({ batch }: Committer) => batch.waitFor(Promise.reject(new Error('no sender')));
  const { committer, done } = await readWithBatch(warehouse, spoil);
  await expect(committer.finish({ next: 5 })).rejects.toThrow('no sender');
  await expect(committer.finish({ next: 6 })).rejects.toThrow('no sender');
  expect(done).toHaveLength(1);
  expect(await heights(warehouse)).toEqual([1]);
  expect(await checkpoint(warehouse)).toEqual({ next: 2 });
});

test('an error of what a batch waits for is told by the batch, however much later that is written', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const { committer } = committerOf(warehouse);
  committer.batch.waitFor(Promise.reject(new Error('no sender')));
  await new Promise(setImmediate);
  await expect(committer.finish({ next: 5 })).rejects.toThrow('no sender');
});

test('a batch that cannot be written takes back what shared its transaction; read again, what lies before it stays', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const spoil = ({ batch }: Committer) => batch.noteGap(1.5, 2);
  const first = await readWithBatch(warehouse, spoil);
  await expect(first.committer.finish({ next: 5 })).rejects.toMatchObject({ code: 'rolled_back', retryable: true });
  expect([first.done, await heights(warehouse), await checkpoint(warehouse)]).toEqual([[], [], null]);
  const second = await readWithBatch(warehouse, spoil);
  await expect(second.committer.finish({ next: 5 })).rejects.toThrow('1.5');
  await expect(second.committer.finish({ next: 6 })).rejects.toThrow('1.5');
  expect(second.done).toHaveLength(1);
  expect(await heights(warehouse)).toEqual([1]);
  expect(await checkpoint(warehouse)).toEqual({ next: 2 });
});

test('a slow source fills no batch, yet what it gave is written after a while', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const { committer } = committerOf(warehouse);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  addPage(committer, 1, 1);
  await committer.commitIfFull({ next: 2 });
  expect(committer.batch.isEmpty()).toBe(false);
  vi.advanceTimersByTime(10_000);
  await committer.commitIfFull({ next: 2 });
  expect(committer.batch.isEmpty()).toBe(true);
  await committer.finish({ next: 2 });
});

test('while one batch is written another one gathers, and no third', async () => {
  const whole = await temporaryWarehouse(tablesOf([stream]));
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const write: Warehouse['write'] = (...batch) => opened.then(() => whole.write(...batch));
  const { committer } = committerOf({ ...whole, write });
  addPage(committer, 1);
  await committer.commitIfFull({ next: 2 });
  addPage(committer, 2);
  const third = vi.fn();
  const second = committer.commitIfFull({ next: 3 }).then(third);
  await new Promise(setImmediate);
  expect(third).not.toHaveBeenCalled();
  open();
  await second;
  await committer.finish({ next: 3 });
  expect(await heights(whole)).toEqual([1, 2]);
});

test('columns of rows that are written are used again', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const { committer } = committerOf(warehouse);
  const sets = new Set<RowSet>();
  for (let height = 1; height <= 8; height++) {
    sets.add(addPage(committer, height));
    await committer.commitIfFull({ next: height + 1 });
  }
  expect(sets.size).toBeLessThan(5);
  await committer.finish({ next: 9 });
  expect(await heights(warehouse)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});
