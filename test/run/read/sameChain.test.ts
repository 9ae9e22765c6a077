import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { latestTransactions } from '../../../pipelines/data-api/latestTransactions.ts';
import { catalogue } from '../../../pipelines/index.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { emptyPage } from '../../../src/core/parse/parseRecords.ts';
import { type PagedStream, type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import type { ReadContext } from '../../../src/run/read/partitionContext.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import { createSameChain } from '../../../src/run/read/sameChain.ts';
import type { PartitionResult, SyncOptions } from '../../../src/run/read/syncOptions.ts';
import { syncStreams } from '../../../src/run/read/syncStreams.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { backfillPartition } from '../../../src/run/upkeep/backfillPartition.ts';
import { dropStream } from '../../../src/run/upkeep/dropStream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { startOtherChain } from '../../pipelines/data-api/startOtherChain.ts';
import { some } from '../../some.ts';
import { prepareSync } from './prepareSync.ts';
import { readContext } from './readContext.ts';

vi.setConfig({ testTimeout: 120_000 });

let devnet: Devnet;
let busiest: string;
let caller: string | undefined;
beforeAll(async () => {
  devnet = await startDevnet({ port: 0, head: '50%' });
  type Parties = { from: { address: string }; to?: { address: string } };
  const listed = async (path: string) => {
    const answer = await fetch(`${devnet.url}/v1/chains/43112/${path}`);
    return some(((await answer.json()) as { transactions: Parties[] }).transactions);
  };
  const transactions = await listed('transactions?pageSize=100');
  busiest = transactions[0]?.from.address ?? '';
  for (const { to } of transactions) {
    const path = `addresses/${to?.address}/transactions:listInternals`;
    if (
      to &&
      !caller &&
      (await fetch(`${devnet.url}/v1/chains/43112/${path}`).then((answer) => answer.text())).includes('0x')
    )
      caller = to.address;
  }
});
afterAll(() => devnet.close());

/** A warehouse, and syncs of streams of the data service into it. */
async function syncing(streams: Record<string, object>) {
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  const sync = async (url: string, only = streams, more: Partial<SyncOptions> = {}): Promise<PartitionResult[]> => {
    const prepared = await prepareSync(warehouse, {
      sources: { data: { url, network: 'fuji' } },
      streams: only,
      retry: { attempts: 2, baseMs: 1 },
    });
    return syncStreams({ ...prepared, ...more }).finally(prepared.close);
  };
  /** Everything that was read, and where each partition stands. */
  const state = async () => {
    const tables = tablesOf(catalogue.filter(({ id }) => id in streams));
    const rows = await Promise.all(tables.map(({ name }) => warehouse.query(`SELECT count(*) AS n FROM ${name}`)));
    const checkpoints = await warehouse.query(
      'SELECT stream, "partition", "position" FROM firn.checkpoint ORDER BY ALL',
    );
    return JSON.stringify([rows, checkpoints], (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  };
  return { warehouse, sync, state };
}

const outcomes = (results: readonly PartitionResult[]) =>
  new Set(some(results).map(({ code, outcome }) => code ?? outcome));

const chain = { chainIds: ['43112'] };
const lists: [string, () => object][] = [
  ['latest_transactions', () => ({ ...chain, from: 0 })],
  ['address_transactions', () => ({ ...chain, addresses: [busiest] })],
  ['address_internal_transactions', () => ({ ...chain, addresses: [caller] })],
  ['primary_transactions', () => ({ blockchainIds: ['p-chain', 'x-chain', 'c-chain'], from: 0 })],
];

test.each(lists)(
  '%s of a chain that was made anew, and is longer than the one before, is refused',
  { tags: 'long' },
  async (name, given) => {
    const id = `data/${name}`;
    const { warehouse, sync, state } = await syncing({ [id]: given() });
    devnet.moveHead('50%');
    expect(outcomes(await sync(devnet.url))).toEqual(new Set(['done']));
    const before = await state();
    devnet.moveHead('70%');
    const { url } = await startOtherChain(devnet.url);
    for (const _ of [1, 2]) {
      const results = await sync(url);
      expect(outcomes(results)).toEqual(new Set(['source_shrank']));
      expect(await state()).toBe(before);
      for (const { message } of results) {
        expect(message).toContain('The source lists another chain than the one that was read from it.');
        expect(message).toContain(`"firn state drop ${id}" drops it`);
      }
    }
    expect(outcomes(await sync(devnet.url))).toEqual(new Set(['done']));
    await dropStream(warehouse, catalogue, id);
    expect(outcomes(await sync(url))).toEqual(new Set(['done']));
  },
);

test('it is refused to an address that is read for the first time, also while it is shorter than the one before', {
  tags: 'long',
}, async () => {
  const both = { ...chain, addresses: [busiest, caller] };
  const { sync, state, warehouse } = await syncing({ 'data/address_transactions': both });
  devnet.moveHead('50%');
  await sync(devnet.url, { 'data/address_transactions': { ...chain, addresses: [busiest] } });
  const { url } = await startOtherChain(devnet.url);
  devnet.moveHead('60%');
  let before = await state();
  expect((await sync(url)).map(({ code }) => code)).toEqual(['source_shrank', 'source_shrank']);
  expect(await state()).toBe(before);
  await warehouse.run(
    'UPDATE raw.data_address_transactions SET block_number = block_number + 100000, block_timestamp = block_timestamp - INTERVAL 1 YEAR',
  );
  await warehouse.run(`UPDATE firn.checkpoint SET "position" = '{"next":100000}'`);
  before = await state();
  expect((await sync(url)).map(({ code }) => code).sort()).toEqual(['source_shrank', 'unavailable']);
  expect(await state()).toBe(before);
});

test('it is refused to a backfill, and what it says of dates is not believed', { tags: 'long' }, async () => {
  const { sync, state, warehouse } = await syncing({ 'data/latest_transactions': { ...chain, from: '-2d' } });
  devnet.moveHead('50%');
  await sync(devnet.url);
  const dates = () => warehouse.query('SELECT * FROM firn.date_height');
  // A list with a date below all that it holds.
  await warehouse.run(`INSERT INTO firn.date_height VALUES ('43112', '2020-01-01', NULL, NULL, NULL, NULL)`);
  const before = await state();
  const { url } = await startOtherChain(devnet.url);
  const readStream = (stream: Stream, context: ReadContext) => backfillPartition(stream, context, { from: '0' });
  expect(outcomes(await sync(url, undefined, { readStream }))).toEqual(new Set(['source_shrank']));
  expect(await state()).toBe(before);
  expect(await dates()).toEqual([]);
  expect(outcomes(await sync(devnet.url, undefined, { readStream }))).toEqual(new Set(['done']));
});

test('a service that gives no single transaction is known by the blocks of its lists', { tags: 'long' }, async () => {
  const primary = { blockchainIds: ['p-chain'], from: 0 };
  const { sync, state } = await syncing({
    'data/latest_transactions': { ...chain, from: 0 },
    'data/primary_transactions': primary,
  });
  devnet.moveHead('50%');
  await sync(devnet.url);
  const before = await state();
  devnet.moveHead('60%');
  const { url } = await startOtherChain(devnet.url, { lists: true });
  const results = await sync(url);
  expect(outcomes(results)).toEqual(new Set(['source_shrank']));
  for (const { message } of results)
    expect(message).toMatch(/block \d+ is \w+ now, and others are not what they were either/);
  expect(await state()).toBe(before);
});

/** A block of a chain: its height, and what tells it from another block of that height. */
type Block = readonly [height: number, name: string];

const hash = (kind: string, [height, name]: Block) =>
  `0x${Buffer.from(`${kind}${height}${name}`).toString('hex').padStart(64, '0')}`;
const rowOf = (block: Block) => ({
  blockNumber: String(block[0]),
  blockTimestamp: 1_700_000_000 + block[0],
  blockHash: hash('b', block),
  txHash: hash('t', block),
  value: '1',
});

/** What one server of a data service has: the blocks that it lists, and those of which it gives single transactions. */
interface Server {
  readonly listed: readonly Block[];
  readonly known?: readonly Block[] | number;
  /** Given whichever transaction is asked for. */
  readonly always?: Block;
}

/** Reads the latest transactions, once from each server; the last of them answers in turns where there are several. */
async function reading(...reads: readonly (readonly Server[])[]) {
  const stream = latestTransactions as unknown as PagedStream;
  const warehouse = await temporaryWarehouse([stream.table]);
  const partition = { values: { chain_id: '1' }, settings: { from: { height: 0 }, pageSize: 3 } };
  const looks: string[] = [];
  const notes: string[] = [];
  let said = '';
  for (const servers of reads) {
    looks.length = notes.length = 0;
    let turn = 0;
    const fetch: Fetch = async (request) => {
      if (request.kind !== 'get') throw new TypeError('it is only asked for lists and transactions');
      const asked = /transactions\/(\w+)$/.exec(request.path)?.[1];
      const { listed, known = listed, always } = servers[asked ? turn++ % servers.length : 0] as Server;
      if (asked) {
        looks.push(asked);
        if (typeof known === 'number')
          throw new FirnError(known === 404 ? 'not_found' : 'unavailable', `status ${known}`);
        const found = always ?? known.find((block) => hash('t', block) === asked);
        if (!found) throw new FirnError('not_found', 'it has no such transaction');
        const body = { nativeTransaction: rowOf(found) };
        request.check?.(body);
        return { body, bytes: 1, fetchedAt: 1 };
      }
      const at = Number(request.query?.['pageToken'] ?? 0);
      const transactions = listed
        .toReversed()
        .slice(at, at + 3)
        .map(rowOf);
      return {
        body: { transactions, ...(at + 3 < listed.length && { nextPageToken: String(at + 3) }) },
        bytes: 1,
        fetchedAt: 1,
      };
    };
    const sameChain = createSameChain();
    const context = readContext(warehouse, stream, partition, fetch, { sameChain, note: (note) => notes.push(note) });
    said = await readPaged(stream, context).then(
      () => 'done',
      (error: FirnError) => error.code,
    );
  }
  const [row] = await warehouse.query<{ n: bigint }>('SELECT count(*) AS n FROM raw.data_latest_transactions');
  return { said, rows: Number(row?.n), looks: looks.length, notes };
}

const blocks = (from: number, to: number, name = 'a'): Block[] =>
  Array.from({ length: to - from }, (_, i) => [from + i, name]);
const long = blocks(1, 20);

test.each<[string, readonly Server[], number]>([
  ['has nothing new', [{ listed: long }], 0],
  ['lists what is new', [{ listed: blocks(1, 40) }], 0],
  ['gives no single transaction', [{ listed: blocks(1, 40), known: 404 }], 0],
  ['has dropped what is old, down to the row that was read last', [{ listed: blocks(19, 40) }], 0],
  [
    'lists what was read last no more, and has it',
    [{ listed: [...long.slice(0, 3), ...blocks(20, 40)], known: blocks(1, 40) }],
    0,
  ],
])('a service that %s lists the same chain', async (_, servers, looks) => {
  const read = await reading([{ listed: long }], servers);
  expect(read).toMatchObject({ said: 'done', looks, notes: [] });
});

test('of a tip that was not settled it is said once that it is another one', async () => {
  const [listed] = [[...blocks(1, 18), ...blocks(18, 40, 'b')]];
  const read = await reading([{ listed: long }], [{ listed }]);
  expect(read).toMatchObject({ said: 'done', looks: 0 });
  expect(read.notes).toEqual([
    expect.stringMatching(/^Block 19 is listed as 0x\w+, but was another block when it was read before/),
  ]);
  expect(await reading([{ listed: long }], [{ listed }], [{ listed }])).toMatchObject({ said: 'done', notes: [] });
});

test('a tip that was not settled, and is all that a list has of what is held, makes no other chain of it', async () => {
  const listed = [...['b', 'c', 'd'].map((name): Block => [19, name]), ...blocks(19, 22, 'e')];
  const read = await reading([{ listed: long }], [{ listed, known: [...blocks(1, 19), ...listed] }]);
  expect(read).toMatchObject({
    said: 'done',
    rows: 25,
    looks: 2,
    notes: [expect.stringMatching(/^Block 19 is listed/)],
  });
});

const anew = blocks(100, 140, 'b');

test('nothing that is held is listed any more, nor there', async () => {
  const read = await reading([{ listed: long }], [{ listed: anew }]);
  expect(read).toMatchObject({ said: 'source_shrank', rows: long.length, looks: 10 });
  const one = await reading([{ listed: blocks(7, 8) }], [{ listed: anew }]);
  expect(one).toMatchObject({ said: 'source_shrank', rows: 1 });
});

test.each<[string, readonly Server[], number]>([
  ['has what was read last', [{ listed: anew, known: [...anew, [19, 'a']] }], 1],
  ['has what was read before', [{ listed: anew, known: [...anew, ...blocks(1, 12)] }], 4],
  ['has single transactions nowhere', [{ listed: anew, known: 404 }], 5],
  ['has trouble', [{ listed: anew, known: 500 }], 1],
  ['gives another transaction than was asked for', [{ listed: anew, always: [100, 'b'] }], 1],
  ['is behind as far as single transactions go', [{ listed: anew, known: blocks(30, 50, 'b') }], 5],
  ['has several servers, of which one is behind', [{ listed: anew }, { listed: anew, known: long }], 2],
])(
  'a service that lists nothing of what is held, and %s, may list the same chain, of which it leaves rows out',
  async (_, servers, looks) => {
    const read = await reading([{ listed: long }], servers);
    expect(read).toMatchObject({ said: 'unavailable', rows: long.length + anew.length, looks });
  },
);

test('lists whose rows do not tell of their chain are refused with those that do, and read behind them', {
  tags: 'long',
}, async () => {
  const blockchainIds = ['p-chain'];
  const owner = { addresses: ['P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'] };
  const streams = {
    'data/validators': {},
    'data/utxos': { ...owner, blockchainIds },
    'data/chains': {},
    'data/primary_transactions': { blockchainIds, from: 0 },
  };
  const { sync, warehouse } = await syncing(streams);
  devnet.moveHead('50%');
  expect(outcomes(await sync(devnet.url))).toEqual(new Set(['done']));
  const counts = () =>
    warehouse.query(
      'SELECT (SELECT count(*) FROM raw.data_validators) AS validators, (SELECT count(*) FROM raw.data_utxos) AS utxos',
    );
  const before = await counts();
  devnet.moveHead('60%');
  const { url } = await startOtherChain(devnet.url);
  const results = await sync(url);
  expect(Object.fromEntries(results.map(({ stream, code }) => [stream, code ?? 'done']))).toEqual({
    'data/validators': 'source_shrank',
    'data/utxos': 'source_shrank',
    'data/chains': 'done',
    'data/primary_transactions': 'source_shrank',
  });
  expect(await counts()).toEqual(before);
});

test('what keeps a batch from being judged keeps no other one from it', async () => {
  const partition = { values: { chain_id: '43112' } };
  const { set } = emptyPage(latestTransactions, partition);
  let asked = 0;
  const query = async () => {
    if (asked++ === 0) throw new Error('no memory');
    return [];
  };
  const reading = { partition, warehouse: { query }, fetch: () => Promise.reject(new Error('nobody is asked')) };
  const { assert } = createSameChain();
  await expect(assert(latestTransactions, reading, [set])).rejects.toThrow('no memory');
  await assert(latestTransactions, reading, [set]);
  expect(asked).toBe(2);
});
