import { describe, expect, test } from 'vitest';
import { addressErc721Transfers } from '../../../pipelines/data-api/addressErc721Transfers.ts';
import { addressInternalTransactions } from '../../../pipelines/data-api/addressInternalTransactions.ts';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import { tokenTransfers } from '../../../pipelines/data-api/tokenTransfers.ts';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import type { GatheredPage } from '../../../src/core/parse/parseRecords.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import type { Partition, Position } from '../../../src/core/stream/partition.ts';
import type { PagedStream, Pages } from '../../../src/core/stream/stream.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { drivePages } from '../../run/read/drivePages.ts';
import { address, settings } from '../../run/read/lateLists.ts';

const transfer = {
  blockTimestamp: 200,
  txHash: `0x${'2'.repeat(64)}`,
  from: { address },
  to: { address },
  logIndex: 0,
  erc721Token: { address, ercType: 'ERC-721', tokenId: '1' },
};
const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };

test.each<[string, Bound, Bound | null, number | undefined, number | undefined, number | undefined]>([
  ['from a height on', { height: 5 }, null, undefined, 5, undefined],
  ['between heights', { height: 5 }, { height: 9 }, undefined, 5, 9],
  ['up to the end that is configured', { height: 5 }, null, 7, 5, 7],
  ['up to the lower of two ends, the configured one', { height: 5 }, { height: 9 }, 7, 5, 7],
  ['up to the lower of two ends, its own', { height: 5 }, { height: 6 }, 7, 5, 6],
])('a backfill of a history %s asks for no more', async (_, from, to, until, start, end) => {
  for (const declared of [addressTransactions, addressErc721Transfers]) {
    const stream = declared as unknown as PagedStream;
    const given = stream.parameters.parse({ chainIds: ['1'], addresses: [address], to: until });
    const [partition] = stream.partitions(given as never, network) as [Partition];
    const asked: unknown[] = [];
    const pages = stream.between?.(partition, { from, to }, { position: null, now: 0 });
    if (!pages) throw new TypeError('no backfill');
    await drivePages(stream, partition, pages, async (request) => {
      const { startBlock, endBlock } = (request.kind === 'get' && request.query) || {};
      asked.push(startBlock, endBlock);
      return { body: { transactions: [] }, fetchedAt: 0, bytes: 0 };
    });
    expect(asked).toEqual([start, end]);
  }
});

test('a history goes on by slices as wide as a read that ended early left them', async () => {
  const stream = addressErc721Transfers as unknown as PagedStream;
  const partition = { values: { chain_id: '1', address }, settings };
  let position: Position | null = { next: 5, since: 1, seen: true, width: 3 };
  let asked: unknown[][] = [];
  const read = async (most: number) => {
    const stop = new AbortController();
    const pages = stream.pages(partition, { position, now: 0 }, network);
    asked = [];
    const fetch: Fetch = async (request) => {
      const { startBlock, endBlock } = (request.kind === 'get' && request.query) || {};
      if (asked.push([startBlock, endBlock]) === most) stop.abort();
      const transactions = endBlock === undefined ? [{ ...transfer, blockNumber: '20' }] : [];
      return { body: { transactions, ...(asked.length === 1 && { nextPageToken: 'more' }) }, fetchedAt: 0, bytes: 0 };
    };
    ({ position } = await drivePages(stream, partition, pages, fetch, stop.signal));
  };
  await read(2);
  expect(asked).toEqual([
    [5, undefined],
    [5, 8],
  ]);
  expect(position).toEqual({ next: 8, since: 1, seen: true, width: 6 });
  await read(4);
  expect(asked).toEqual([
    [8, undefined],
    [8, 14],
    [14, undefined],
  ]);
  expect(position).toEqual({ next: 20, since: 1, seen: true });
});

/**
 * A list with these times by place, in the order that is asked for, newest first if none is. What is asked is noted.
 * @param apart heights from one place to the next
 */
const historyOf =
  (times: readonly number[], asked: Request[], apart = 1): Fetch =>
  async (request) => {
    asked.push(request);
    const { startBlock, endBlock, sortOrder, pageSize, pageToken } = (request.kind === 'get' && request.query) || {};
    const rows = times.flatMap((blockTimestamp, place) => {
      const height = place * apart;
      const isWanted = height >= Number(startBlock ?? 0) && height < Number(endBlock ?? Number.POSITIVE_INFINITY);
      const row = {
        ...transfer,
        blockNumber: String(height),
        blockTimestamp,
        txHash: `0x${String(height).padStart(64, '0')}`,
      };
      return isWanted ? [{ ...row, value: '1' }] : [];
    });
    if (sortOrder !== 'asc') rows.reverse();
    const [from, to] = [Number(pageToken ?? 0), Number(pageToken ?? 0) + Number(pageSize)];
    const more = to < rows.length && { nextPageToken: String(to) };
    return { body: { transactions: rows.slice(from, to), ...more }, fetchedAt: 0, bytes: 0 };
  };

/** Rows of the newest page may come twice: they have one key. */
const heightsOf = ({ set }: GatheredPage) =>
  [...new Set(set.own.toObjects().map((row) => Number(row['block_number'])))].sort((a, b) => a - b);

const histories = { 'oldest first': addressTransactions, 'newest first': addressErc721Transfers };
const date = 1_000_001;

describe.each(Object.entries(histories))('a history that is read %s', (_, declared) => {
  const stream = declared as unknown as PagedStream;
  const partition = { values: { chain_id: '1', address }, settings: { from: { time: date }, to: null, pageSize: 10 } };
  const window = { position: null, now: 0 };

  // The last row before the date is a second older.
  const timesEvery = (seconds: number) => Array.from({ length: 90 }, (_, height) => date - 1 + seconds * (height - 41));

  test.each([
    [60, 1, [1]],
    [7200, 1, [1]],
    [7200, 3, [1, 100]],
  ])(
    'has the rows from a date on and no others, of one every %i seconds and %i blocks',
    async (every, apart, sizes) => {
      const asked: Request[] = [];
      const pages = stream.pages(partition, window, undefined);
      const { page, position } = await drivePages(stream, partition, pages, historyOf(timesEvery(every), asked, apart));
      expect(heightsOf(page)).toEqual(Array.from({ length: 48 }, (_, i) => (42 + i) * apart));
      expect(position).toEqual({ next: 89 * apart, since: date, seen: true });
      const looks = asked.flatMap((request) => (request.kind === 'get' && request.look ? [request] : []));
      expect(asked.slice(0, looks.length)).toEqual(looks);
      // A page of one row may be another one's: what would hide rows for good is asked in another way, too.
      expect([...new Set(looks.map(({ query }) => query?.['pageSize']))]).toEqual(sizes);
    },
  );

  test('loses nothing to pages of one row that come in the place of others', async () => {
    const right = historyOf(timesEvery(7200), []);
    const fetch: Fetch = (request) => {
      if (request.kind !== 'get' || request.query?.['pageSize'] !== 1) return right(request);
      // Each shows the oldest row, but the one that asks for the newest.
      return right({ ...request, query: { ...request.query, endBlock: request.query['endBlock'] && 1 } });
    };
    const { page } = await drivePages(stream, partition, stream.pages(partition, window, undefined), fetch);
    expect(heightsOf(page)).toEqual(Array.from({ length: 48 }, (_, i) => 42 + i));
  });

  test('begins with a row that cannot be read and may be of the date', async () => {
    const asked: Request[] = [];
    const times = timesEvery(7200).with(41, Number.NaN);
    await drivePages(stream, partition, stream.pages(partition, window, undefined), historyOf(times, asked, 3));
    const first = asked.find((request) => request.kind === 'get' && !request.look);
    expect(first?.kind === 'get' && first.query?.['startBlock']).toBeLessThanOrEqual(41 * 3);
  });

  test.each([
    [
      'whose date is still to come knows from where on to look for it',
      [date - 20, date - 10],
      { next: 2, since: date },
    ],
    ['without rows has no place', [], null],
  ])('%s', async (_, times, wanted) => {
    const { page, position } = await drivePages(
      stream,
      partition,
      stream.pages(partition, window, undefined),
      historyOf(times, []),
    );
    expect(page.set.own.length).toBe(0);
    expect(position).toEqual(wanted);
  });

  test.each([1, 3])('of every %i blocks is read again up to a date, and not to the hour before it', async (apart) => {
    const pages = stream.between?.(partition, { from: { height: 0 }, to: { time: date } }, window);
    const { page } = await drivePages(stream, partition, pages as Pages, historyOf(timesEvery(60), [], apart));
    expect(heightsOf(page)).toEqual(Array.from({ length: 42 }, (_, i) => i * apart));
  });

  test('looks back by heights', () => {
    expect(stream.looksBack?.cursor).toBe('block_number');
    expect(stream.looksBack?.moved({ next: 9 }, (cursor) => cursor - 4)).toEqual({ next: 5 });
  });

  test.each<[object | null, object]>([
    [null, { next: 5, since: 3 }],
    [{ next: 9 }, { next: 9 }],
    [
      { next: 9, since: 7 },
      { next: 9, since: 3 },
    ],
    [
      { next: 9, since: 2 },
      { next: 9, since: 2 },
    ],
  ])('and stands at %j takes the rows below with it', (position, wanted) => {
    expect(stream.backfilled?.(position as never, { next: 5, since: 3 } as never, partition)).toEqual(wanted);
  });

  test('and stands behind a date has all before it once a backfill has come from a height', () => {
    expect(stream.backfilled?.({ next: 9, since: 7 } as never, { next: 5 } as never, partition)).toEqual({
      next: 9,
      since: 0,
    });
  });
});

test.each<[string, unknown, object, object]>([
  ['transfers of a token', tokenTransfers, { ...transfer, value: '1' }, { value: '2' }],
  [
    'internal transactions',
    addressInternalTransactions,
    { ...transfer, value: '1', gasUsed: '5', gasLimit: '7' },
    { gasLimit: '8' },
  ],
])(
  'the block of %s that are alike on two pages is read alone, and not that of others',
  async (_, declared, row, other) => {
    const stream = declared as PagedStream;
    const partition = { values: { chain_id: '1', address }, settings: { ...settings, pageSize: 1 } };
    const alone = async (second: object) => {
      const asked: unknown[] = [];
      const rows = [row, { ...row, ...second }].map((one) => ({ ...one, blockNumber: '7' }));
      const pages = stream.pages(partition, { position: null, now: 0 }, undefined);
      await drivePages(stream, partition, pages, async (request) => {
        const { startBlock, endBlock, pageSize, pageToken } = (request.kind === 'get' && request.query) || {};
        if (startBlock === 7 && endBlock === 8) asked.push(pageSize);
        const [from, to] = [Number(pageToken ?? 0), Number(pageToken ?? 0) + Number(pageSize)];
        const page = {
          [String(stream.records)]: rows.slice(from, to),
          ...(to < rows.length && { nextPageToken: String(to) }),
        };
        return { body: page, fetchedAt: 0, bytes: 0 };
      });
      return asked[0];
    };
    // By pages as large as the service gives them.
    expect(await alone({})).toBe(100);
    expect(await alone(other)).toBeUndefined();
  },
);
