import { expect, test } from 'vitest';
import { latestTransactions } from '../../../pipelines/data-api/latestTransactions.ts';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import type { Partition, Position } from '../../../src/core/stream/partition.ts';
import type { Pages } from '../../../src/core/stream/stream.ts';
import { drivePages } from '../../run/read/drivePages.ts';

const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };
const hash = (height: number) => `0x${String(height).padStart(64, '0')}`;

/** What is read of a chain of so many blocks, one a second with a transaction each: the heights, how often was asked, and where it stands. */
async function readOf(head: number, from: string | number, pagesOf: (partition: Partition) => Pages) {
  const given = latestTransactions.parameters.parse({ chainIds: ['1'], from, pageSize: 2 }) as never;
  const partition = latestTransactions.partitions(given, network)[0] as Partition;
  let asked = 0;
  const driven = await drivePages(latestTransactions as never, partition, pagesOf(partition), async (request) => {
    asked++;
    const top = Number((request.kind === 'get' && request.query?.['pageToken']) || head);
    const transactions = [top, top - 1]
      .filter((height) => height > 0)
      .map((height) => ({
        txHash: hash(height),
        blockNumber: String(height),
        blockTimestamp: 1000 + height,
        value: '0',
      }));
    return { body: { transactions, ...(top > 2 && { nextPageToken: String(top - 2) }) }, fetchedAt: 0, bytes: 0 };
  });
  const heights = driven.page.set.own.toObjects().map((row) => Number(row['block_number']));
  return { heights: [...new Set(heights)].sort((a, b) => a - b), asked, position: driven.position };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const read = (head: number, from: string | number, position: Position | null = null) =>
  readOf(head, from, (partition) =>
    latestTransactions.pages(partition as never, { position, now: 0 } as never, undefined as never),
  );

test.each<[string, string | number, number]>([
  ['a height', 51, 51],
  ['an age, counted from the newest one', '-9s', 51],
  ['a date', new Date(1_051_000).toISOString(), 51],
])('the latest transactions are read back to %s, and then to where they were read', async (_, from, first) => {
  const begun = await read(60, from);
  expect(begun).toMatchObject({ heights: range(first, 61), position: { cursor: 60 } });
  expect(begun.asked).toBeLessThan(9);
  const more = await read(66, from, begun.position);
  expect(more).toMatchObject({ heights: range(60, 67), position: { cursor: 66 } });
  expect(more.asked).toBeLessThan(8);
});

test.each<[string, Bound, Bound | null, readonly number[]]>([
  ['heights', { height: 11 }, { height: 15 }, range(11, 15)],
  ['times', { time: 1011 }, { time: 1015 }, range(11, 15)],
  ['a height and the newest one', { height: 55 }, null, range(55, 61)],
])('the latest transactions between %s are those', async (_, from, to, wanted) => {
  const { heights } = await readOf(
    60,
    0,
    (partition) =>
      latestTransactions.between?.(partition as never, { from, to }, { position: null, now: 0 } as never) as Pages,
  );
  expect(heights).toEqual(wanted);
});

test('the latest transactions look back by heights', () => {
  expect(latestTransactions.looksBack?.cursor).toBe('block_number');
  expect(latestTransactions.looksBack?.moved({ cursor: 9 } as never, (cursor) => cursor - 4)).toEqual({ cursor: 5 });
});
