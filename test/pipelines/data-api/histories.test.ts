/** @module-tag long */
import { type Devnet, readLedger, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentRows, type Streams, syncOnce, withFolder } from '../standardHarness.ts';

// Histories read through filters must be parts of the histories read without them, whatever the service makes of the ends
// of a range.

type Row = Record<string, unknown>;

let ledger: Awaited<ReturnType<typeof readLedger>>;
let devnet: Devnet;
/** Primary Network transactions and those of one account, without any bound. */
let whole: Row[];
let owners: string[];
/** X-Chain transactions of all owners, and those of the busiest EVM account. */
let ofOwners: Row[];
let ofAccount: Row[];
/** The contract that other contracts and accounts call most. */
let contract: string;
let accountStreams: (more: object) => Streams;

const micros = (row: Row) => Date.parse(`${String(row['block_timestamp']).replace(' ', 'T')}Z`);

async function rowsOf(streams: Streams, table: string, network = devnet): Promise<Row[]> {
  return withFolder(async (folder) => {
    const results = await syncOnce(folder, network, streams);
    expect(results.filter(({ outcome, quarantined }) => outcome !== 'done' || quarantined > 0)).toEqual([]);
    return ((await currentRows(folder, table))[table] ?? []).map((row) => JSON.parse(row) as Row);
  });
}

const hashes = (rows: readonly Row[]) => rows.map((row) => `${row['blockchain'] ?? ''} ${row['tx_hash']}`).sort();

function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

beforeAll(async () => {
  ledger = await readLedger();
  devnet = await startDevnet({ ledger, head: '30%' });
  whole = await rowsOf({ 'data/primary_transactions': { from: 0 } }, 'raw.data_primary_transactions');
  const utxos = await rowsOf(
    { 'data/primary_transactions': { blockchainIds: ['p-chain'], from: 0 } },
    'raw.data_primary_transactions_emitted_utxos',
  );
  owners = [...new Set(utxos.flatMap((row) => row['addresses'] as string[]))].sort();
  const chain = { chainIds: ['43112'] };
  const latest = await rowsOf({ 'data/latest_transactions': { ...chain, from: 0 } }, 'raw.data_latest_transactions');
  const busiest = mostFrequent(latest.map((row) => String(row['from_address'])));
  const callers = latest.filter((row) => row['method_call_type'] === 'CONTRACT_CALL');
  const internals = await Promise.all(
    [...new Set(callers.map((row) => String(row['to_address'])))].map(async (address) => {
      const path = `/v1/chains/43112/addresses/${address}/transactions:listInternals?pageSize=100`;
      const { transactions } = (await (await fetch(devnet.url + path)).json()) as { transactions: unknown[] };
      return transactions.map(() => address);
    }),
  );
  contract = mostFrequent(internals.flat());
  accountStreams = (more) => ({
    'data/address_transactions': { ...chain, addresses: [busiest], pageSize: 30, ...more },
  });
  ofAccount = await rowsOf(accountStreams({}), 'raw.data_address_transactions');
  ofOwners = await rowsOf(
    { 'data/primary_transactions': { addresses: owners, blockchainIds: ['x-chain'] } },
    'raw.data_primary_transactions',
  );
}, 300_000);
afterAll(() => devnet.close());

describe('transactions of addresses', () => {
  const table = 'raw.data_primary_transactions';

  test('are transactions of the chain, and many', () => {
    const found = ofOwners;
    const wanted = whole.filter((row) => row['blockchain'] === 'x-chain');
    expect(found.length).toBeGreaterThan(50);
    expect(hashes(found).filter((hash) => !hashes(wanted).includes(hash))).toEqual([]);
  });

  test.each([
    [true, false],
    [false, true],
    [true, true],
    [false, false],
  ])(
    'keep to their bounds where the service takes the start (%s) and the end (%s) itself',
    { tags: 'long' },
    async (startInclusive, endInclusive) => {
      const all = ofOwners;
      const times = all.map(micros).sort((a, b) => a - b);
      // Bounds that rows stand on exactly.
      const [from = 0, to = 0] = [times[Math.floor(times.length / 4)], times[Math.floor(times.length / 2)]];
      const iso = (time: number) => new Date(time).toISOString();
      const other = await startDevnet({ ledger, head: '30%', services: { startInclusive, endInclusive } });
      try {
        const streams = {
          'data/primary_transactions': {
            addresses: owners,
            blockchainIds: ['x-chain'],
            from: iso(from),
            to: iso(to),
            pageSize: 9,
          },
        };
        const found = await rowsOf(streams, table, other);
        expect(hashes(found)).toEqual(hashes(all.filter((row) => micros(row) >= from && micros(row) < to)));
      } finally {
        await other.close();
      }
    },
  );

  test('of one type are the transactions of that type', { tags: 'long' }, async () => {
    const streams = (more: object) => ({
      'data/primary_transactions': { addresses: owners, blockchainIds: ['p-chain'], ...more },
    });
    const all = await rowsOf(streams({}), table);
    const found = await rowsOf(streams({ txTypes: ['ImportTx', 'ExportTx'] }), table);
    expect(found.length).toBeGreaterThan(0);
    expect(hashes(found)).toEqual(hashes(all.filter((row) => /^(Im|Ex)portTx$/.test(String(row['tx_type'])))));
  });

  test('of an address that is added later are read back to the beginning, the others not again', {
    tags: 'long',
  }, async () => {
    const [first = '', ...others] = owners;
    await withFolder(async (folder) => {
      const streams = (addresses: string[]) => ({
        'data/primary_transactions': { addresses, blockchainIds: ['x-chain'], pageSize: 20 },
      });
      await syncOnce(folder, devnet, streams(others));
      const asked: string[] = [];
      await syncOnce(folder, devnet, streams([...others, first]), {
        before(_, request) {
          if ('query' in request && request.query?.['addresses'] !== undefined) {
            const { addresses, startTimestamp } = request.query;
            asked.push(
              `${String(addresses).split(',').length} from ${startTimestamp === undefined ? 'the beginning' : 'a checkpoint'}`,
            );
          }
        },
      });
      // The others stand at the head already.
      expect(new Set(asked)).toEqual(new Set(['1 from the beginning']));
      const together = (await currentRows(folder, table))[table] ?? [];
      const atOnce = await rowsOf(streams(owners), table);
      expect(hashes(together.map((row) => JSON.parse(row) as Row))).toEqual(hashes(atOnce));
    });
  });
});

describe('transactions of an EVM address', () => {
  const table = 'raw.data_address_transactions';

  test.each<[string, (rows: readonly Row[]) => object, (row: Row, rows: readonly Row[]) => boolean]>([
    ['from a height', (rows) => ({ from: middle(rows) }), (row, rows) => Number(row['block_number']) >= middle(rows)],
    ['to a height', (rows) => ({ to: middle(rows) }), (row, rows) => Number(row['block_number']) < middle(rows)],
    [
      'between heights',
      (rows) => ({ from: middle(rows), to: middle(rows) + 50 }),
      (row, rows) => Number(row['block_number']) >= middle(rows) && Number(row['block_number']) < middle(rows) + 50,
    ],
    [
      'from a moment',
      (rows) => ({ from: new Date(middleTime(rows)).toISOString() }),
      (row, rows) => micros(row) >= middleTime(rows),
    ],
    [
      'from an age',
      () => ({ from: '-5d' }),
      (row, rows) => micros(row) >= Math.max(...rows.map(micros)) - 5 * 86_400_000,
    ],
  ])('%s', { tags: 'long' }, async (_, bounds, wanted) => {
    const all = ofAccount;
    const found = await rowsOf(accountStreams(bounds(all)), table);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all.length);
    expect(hashes(found)).toEqual(hashes(all.filter((row) => wanted(row, all))));
  });

  const middle = (rows: readonly Row[]) =>
    rows.map((row) => Number(row['block_number'])).sort((a, b) => a - b)[Math.floor(rows.length / 2)] ?? 0;
  const middleTime = (rows: readonly Row[]) => rows.map(micros).sort((a, b) => a - b)[Math.floor(rows.length / 2)] ?? 0;
});

test('internal transactions of an address from a moment on are numbered as without it', { tags: 'long' }, async () => {
  const table = 'raw.data_address_internal_transactions';
  const streams = (more: object) => ({
    'data/address_internal_transactions': { chainIds: ['43112'], addresses: [contract], pageSize: 30, ...more },
  });
  const all = await rowsOf(streams({}), table);
  const moment = all.map(micros).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  const found = await rowsOf(streams({ from: new Date(moment).toISOString() }), table);
  const named = (rows: readonly Row[]) => rows.map((row) => `${row['tx_hash']} ${row['position']}`).sort();
  expect(found.length).toBeGreaterThan(10);
  expect(named(found)).toEqual(named(all.filter((row) => micros(row) >= moment)));
});

describe('transaction details', () => {
  const table = 'raw.data_transaction_details';

  test('are looked up once each, as far as the budget goes; one that is not there once more', {
    tags: 'long',
  }, async () => {
    const [named = '', ...rest] = ofAccount.map((row) => String(row['tx_hash']));
    const missing = `0x${'0'.repeat(64)}`;
    await withFolder(async (folder) => {
      const asked: string[] = [];
      const sync = (budget: number) =>
        syncOnce(
          folder,
          devnet,
          {
            'data/transaction_details': {
              chainIds: ['43112'],
              txHashes: [named, missing, ...rest.slice(0, 3)],
              budget,
            },
          },
          {
            before(_, request) {
              if ('path' in request && request.path.startsWith('/v1/'))
                asked.push(request.path.split('/').at(-1) ?? '');
            },
          },
        );
      const [first] = await sync(2);
      expect(asked).toHaveLength(2);
      expect(first?.behind).toBe(3);
      const [second] = await sync(100);
      expect(second?.behind).toBeUndefined();
      await sync(100);
      expect([...asked].sort()).toEqual([named, missing, missing, ...rest.slice(0, 3)].sort());
      const rows = ((await currentRows(folder, table))[table] ?? []).map((row) => JSON.parse(row) as Row);
      expect(rows.map((row) => row['tx_hash']).sort()).toEqual([named, ...rest.slice(0, 3)].sort());
    });
  });
});
