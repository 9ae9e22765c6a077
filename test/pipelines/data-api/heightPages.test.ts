import { expect, test } from 'vitest';
import { addressErc721Transfers } from '../../../pipelines/data-api/addressErc721Transfers.ts';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import type { PagedStream, Partition } from '../../../src/core/stream/stream.ts';
import { drivePages } from '../../run/read/drivePages.ts';
import { address } from '../../run/read/lateLists.ts';

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
