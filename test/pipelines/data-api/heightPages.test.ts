import { expect, test } from 'vitest';
import { addressErc721Transfers } from '../../../pipelines/data-api/addressErc721Transfers.ts';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import type { Partition, Position } from '../../../src/core/stream/partition.ts';
import type { PagedStream } from '../../../src/core/stream/stream.ts';
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
