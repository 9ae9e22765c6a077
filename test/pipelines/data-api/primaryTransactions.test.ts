import { expect, test } from 'vitest';
import { primaryTransactions } from '../../../pipelines/data-api/primaryTransactions.ts';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import type { Position } from '../../../src/core/stream/partition.ts';
import { type PagedStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { drivePages } from '../../run/read/drivePages.ts';
import { readContext } from '../../run/read/readContext.ts';
import { childRows } from './childRows.ts';

const names = Array.from({ length: 130 }, (_, i) => toBech32(new Uint8Array(20).fill(i), 'fuji'));

const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };

/** A backfill of addresses from where it stands. */
function backfillOf(
  addresses: readonly string[],
  position: Position | null,
  from: Bound = { time: 0 },
  to: Bound | null = null,
  until?: string,
) {
  const [partition] = primaryTransactions.partitions(
    { addresses, blockchainIds: ['p-chain'], pageSize: 100, to: until } as never,
    network,
  );
  const pages = primaryTransactions.between?.(partition as never, { from, to }, {
    position,
    now: 0,
  } as never);
  if (!partition || !pages) throw new TypeError('no backfill');
  return { partition, pages };
}

/** Reads a backfill until it has asked so many requests; gives the addresses that were asked for, and where it stands. */
function backfill(
  addresses: readonly string[],
  position: Position | null,
  requests = Number.POSITIVE_INFINITY,
  from?: Bound,
) {
  const { pages } = backfillOf(addresses, position, from);
  const page = { body: { transactions: [] }, length: 0, kept: 0, within() {}, newest() {}, numbers: () => [] };
  const asked: string[] = [];
  let at = position;
  for (let step = pages.next(); !step.done; step = pages.next(page as never)) {
    if (step.value.kind === 'advance') at = step.value.position;
    else if (step.value.kind === 'get') {
      if (asked.length === requests) break;
      asked.push(String((step.value as Extract<Request, { kind: 'get' }>).query?.['addresses']));
    }
  }
  return { asked: asked.map((list) => list.split(',')), at };
}

test('an interrupted backfill reads every address, though addresses were added before those that it had read', () => {
  const first = backfill(names.slice(2), null, 1);
  expect(first.asked.flat()).toEqual(names.slice(2, 66));
  const same = backfill(names.slice(2), first.at);
  expect(same.asked.flat()).toEqual(names.slice(66));
  const more = backfill(names, first.at);
  expect(new Set([...first.asked, ...more.asked].flat())).toEqual(new Set(names));
});

test('a backfill that is interrupted in the list of an address goes on there', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => ({ txHash: `t${i}`, blockNumber: '1', blockTimestamp: 1000 + i }));
  const read = new Set<unknown>();
  let at: Position | null = null;
  for (let runs = 1, isStopped = true; isStopped; runs++) {
    expect(runs).toBeLessThan(20);
    const { partition, pages } = backfillOf(names.slice(0, 1), at);
    const stop = new AbortController();
    let asked = 0;
    const driven = await drivePages(
      primaryTransactions as never,
      partition,
      pages,
      async (request) => {
        if (++asked === 4) stop.abort();
        const { startTimestamp = 0, pageToken = 0 } = (request.kind === 'get' && request.query) || {};
        const all = rows.filter(({ blockTimestamp }) => blockTimestamp >= Number(startTimestamp));
        const end = Number(pageToken) + 2;
        const next = end < all.length && { nextPageToken: String(end) };
        return { body: { transactions: all.slice(end - 2, end), ...next }, fetchedAt: 0, bytes: 0 };
      },
      stop.signal,
    );
    at = driven.position ?? at;
    for (const row of driven.page.set.own.toObjects()) read.add(row['tx_hash']);
    isStopped = stop.signal.aborted;
  }
  expect([...read].sort()).toEqual(rows.map(({ txHash }) => txHash).sort());
  expect(at).toEqual({ start: 0, read: names.slice(0, 1) });
});

test('the height 0 is the beginning; another one says nothing of addresses', () => {
  const from = (height: number) => backfill(names.slice(2), null, undefined, { height });
  expect(from(0)).toEqual(backfill(names.slice(2), null));
  expect(() => from(1)).toThrow('addresses are read by time');
});

const newest = Date.parse('2026-03-01') / 1000;
const day = 86_400;
test.each<[string, Bound, Bound | null, string | undefined, number | undefined, number | undefined]>([
  ['from a moment on', { time: 1000 }, null, undefined, 1000, undefined],
  ['between moments', { time: 1000 }, { time: 5000 }, undefined, 1000, 5000],
  ['of an age, which counts from the newest transaction', { age: day }, null, undefined, newest - day, undefined],
  ['of an age beyond all', { age: 2 * newest }, null, undefined, undefined, undefined],
  ['up to the end that is configured', { time: 1000 }, null, '2026-02-01', 1000, newest - 28 * day],
  ['up to the lower of two ends', { time: 1000 }, { time: 5000 }, '2026-02-01', 1000, 5000],
  ['up to the lower of two ends, the configured one', { time: 1000 }, { time: newest }, '1970-01-02', 1000, day],
])('a backfill %s asks for no more', async (_, from, to, until, start, end) => {
  const { partition, pages } = backfillOf(names.slice(0, 1), null, from, to, until);
  const asked: unknown[] = [];
  const { page } = await drivePages(primaryTransactions as never, partition, pages, async (request) => {
    const query = (request.kind === 'get' && request.query) || {};
    if (query['addresses'] !== undefined) asked.push(query['startTimestamp'], query['endTimestamp']);
    const row = { txHash: 't', blockNumber: '1', blockTimestamp: newest };
    return { body: { transactions: query['addresses'] === undefined ? [row] : [] }, fetchedAt: 0, bytes: 0 };
  });
  // One second more, which is left out again: the service may not count its own start.
  expect(asked).toEqual([start && start - 1, end]);
  // The newest transaction need not be one of these addresses.
  expect(page.set.own.length).toBe(0);
});

test('an interrupted backfill keeps to the age that it began with, and begins with a list that another one has replaced', async () => {
  const place = { start: 1000, read: [], at: { list: 'another', next: 5000 } };
  const { partition, pages } = backfillOf(names.slice(0, 1), place, { age: day });
  const asked: unknown[] = [];
  await drivePages(primaryTransactions as never, partition, pages, async (request) => {
    asked.push(request.kind === 'get' && request.query?.['startTimestamp']);
    return { body: { transactions: [] }, fetchedAt: 0, bytes: 0 };
  });
  expect(asked).toEqual([999]);
});

test('a backfill of an age fails where the newest transactions have no time that can be read', async () => {
  const { partition, pages } = backfillOf(names.slice(0, 1), null, { age: day });
  const answer = async () => ({ body: { transactions: [{ txHash: 't' }] }, fetchedAt: 0, bytes: 0 });
  await expect(drivePages(primaryTransactions as never, partition, pages, answer)).rejects.toThrow('time');
});

test.each<[string, object, Position, Position | null]>([
  [
    'of addresses has them begun there',
    { addresses: names.slice(0, 1) },
    { start: 7 },
    { sets: [{ next: 7, members: names.slice(0, 1) }] },
  ],
  ['of what is newest leaves it to the first read where the list begins', {}, { floor: { time: 7 } }, null],
])('a backfill %s, where nothing was read yet', (_, given, done, wanted) => {
  const [partition] = primaryTransactions.partitions(
    { blockchainIds: ['p-chain'], pageSize: 100, ...given } as never,
    network,
  );
  expect(primaryTransactions.backfilled?.(null, done, partition as never)).toEqual(wanted);
});

test('a backfill of an age begins at the beginning where there is no transaction yet', async () => {
  const { partition, pages } = backfillOf(names.slice(0, 1), null, { age: day });
  const asked: unknown[] = [];
  await drivePages(primaryTransactions as never, partition, pages, async (request) => {
    const { addresses, startTimestamp } = (request.kind === 'get' && request.query) || {};
    asked.push(addresses === undefined ? 'the newest' : startTimestamp);
    return { body: { transactions: [] }, fetchedAt: 0, bytes: 0 };
  });
  expect(asked).toEqual(['the newest', undefined]);
});

test.each<[string, Position, Position, Position]>([
  ['the newest transactions', { cursor: 9 }, { cursor: 5 }, { cursor: 7 }],
  [
    'sets of addresses',
    { sets: [{ next: 9, members: ['a'] }] },
    { sets: [{ next: 5, members: ['a'] }] },
    { sets: [{ next: 7, members: ['a'] }] },
  ],
])('the place of %s moves down by the look back, and never below the checkpoint', (_, at, moved, reached) => {
  const { looksBack } = primaryTransactions;
  expect(looksBack?.moved(at, (cursor) => cursor - 4)).toEqual(moved);
  expect(looksBack?.notBelow(reached, at)).toEqual(at);
  expect(looksBack?.notBelow(at, reached)).toEqual(at);
});

test('what two answers show of one transaction, each to another address, is kept of both, alike or not', async () => {
  const stream = primaryTransactions as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const given = { addresses: names.slice(0, 1), blockchainIds: ['p-chain'], pageSize: 100 };
  const [partition] = stream.partitions(given as never, network);
  const account = `0x${'1'.repeat(40)}`;
  for (const part of ['1', '2']) {
    const twice = (item: object) => [item, item];
    const shown = {
      consumedUtxos: [{ utxoId: part }],
      emittedUtxos: [{ utxoId: part }],
      l1ValidatorDetails: twice({ validationId: part }),
      evmInputs: twice({ fromAddress: account, amount: part }),
      evmOutputs: twice({ toAddress: account, amount: part }),
      // Not a part: all of it.
      value: twice({ assetId: 'a', amount: part }),
      vertices: [{ hash: part }],
    };
    const transactions = [{ txHash: 't', blockNumber: '1', blockTimestamp: 1000, ...shown }];
    const fetch = async () => ({ body: { transactions }, fetchedAt: 0, bytes: 0 });
    await readPaged(stream, readContext(warehouse, stream, partition as never, fetch));
  }
  expect(await childRows(warehouse, stream)).toEqual({
    consumed_utxos: 2,
    emitted_utxos: 2,
    l1_validators: 4,
    evm_inputs: 4,
    evm_outputs: 4,
    amounts: 2,
    vertices: 1,
  });
});

test('the latest transactions are read back to the height where the first read is to stop', async () => {
  const given = { blockchainIds: ['p-chain'], pageSize: 2, from: 5 };
  const [partition] = primaryTransactions.partitions(given as never, network);
  const asked: unknown[] = [];
  const pages = primaryTransactions.pages(partition as never, { position: null, now: 0 } as never, undefined as never);
  const { page } = await drivePages(primaryTransactions as never, partition as never, pages, async (request) => {
    const token = request.kind === 'get' ? request.query?.['pageToken'] : undefined;
    asked.push(token);
    const top = Number(token ?? 8);
    const transactions = [top, top - 1].map((height) => ({
      txHash: `t${height}`,
      blockNumber: String(height),
      blockTimestamp: 1000 + height,
    }));
    return { body: { transactions, nextPageToken: String(top - 2) }, fetchedAt: 0, bytes: 0 };
  });
  expect(asked.slice(0, 3)).toEqual([undefined, '6', '4']);
  expect(page.set.own.toObjects().map((row) => row['tx_hash'])).toEqual(['t8', 't7', 't6', 't5']);
});
