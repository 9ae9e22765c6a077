import { expect, test } from 'vitest';
import { addressTransactions } from '../../pipelines/data-api/addressTransactions.ts';
import { primaryTransactions } from '../../pipelines/data-api/primaryTransactions.ts';
import { chainMetrics } from '../../pipelines/metrics-api/chainMetrics.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import type { PagedStream, Pages } from '../../src/core/stream/stream.ts';
import { toBech32 } from '../../src/decode/bytes/address.ts';
import { drivePages } from '../run/read/drivePages.ts';

// Questions that a list is to answer without being read: an empty page that carries a token answers none of them.

const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };
const window = { position: null, now: 0 };
const row = { txHash: 'x', blockNumber: '50', blockTimestamp: 1_700_000_000, timestamp: 1_700_000_000, value: 1 };

const first = (stream: PagedStream, parameters: object): Partition => {
  const [partition] = stream.partitions(stream.parameters.parse(parameters) as never, network);
  if (!partition) throw new TypeError('no partition');
  return partition;
};

/** Walks pages; the first answer is empty and carries a token, the others hold one row. Gives the queries that were sent. */
async function asked(stream: PagedStream, partition: Partition, pages: Pages, member: string) {
  const queries: Readonly<Record<string, unknown>>[] = [];
  const stop = new AbortController();
  await drivePages(
    stream,
    partition,
    pages,
    async (request) => {
      if (request.kind !== 'get') throw new TypeError('only lists here');
      if (queries.push(request.query ?? {}) === 5) stop.abort();
      const page = queries.length === 1 ? { [member]: [], nextPageToken: 'on' } : { [member]: [row] };
      return { body: page, fetchedAt: 0, bytes: 0 };
    },
    stop.signal,
  );
  return queries;
}

const evm = { chainIds: ['1'], addresses: [`0x${'11'.repeat(20)}`] };
const owners = Array.from({ length: 80 }, (_, i) => toBech32(new Uint8Array(20).fill(i), 'fuji'));
const metrics = { chainIds: ['1'], metrics: ['txCount'], timeIntervals: ['day'] };

test.each<[string, string, PagedStream, object, (stream: PagedStream, partition: Partition) => Pages]>([
  [
    'where a history from a day on begins',
    'transactions',
    addressTransactions as never,
    { ...evm, from: '2020-01-01' },
    (s, p) => s.pages(p, window, undefined),
  ],
  [
    'where a history of an age begins',
    'transactions',
    primaryTransactions as never,
    { addresses: owners.slice(0, 1), from: '-1d' },
    (s, p) => s.pages(p, window, undefined),
  ],
  [
    'how far many addresses are read together',
    'transactions',
    primaryTransactions as never,
    { addresses: owners },
    (s, p) => s.pages(p, window, undefined),
  ],
  [
    'from when addresses are read again',
    'transactions',
    primaryTransactions as never,
    { addresses: owners.slice(0, 1) },
    (s, p) => (s.between as NonNullable<typeof s.between>)(p, { from: { age: 60 }, to: null }, window),
  ],
  ['the newest bucket', 'results', chainMetrics as never, metrics, (s, p) => s.pages(p, window, undefined)],
  [
    'which buckets are read again',
    'results',
    chainMetrics as never,
    metrics,
    (s, p) => (s.between as NonNullable<typeof s.between>)(p, { from: { age: 60 }, to: null }, window),
  ],
])('%s: the token is followed', async (_, member, stream, parameters, pagesOf) => {
  const partition = first(stream, parameters);
  const [look, next, ...rest] = await asked(stream, partition, pagesOf(stream, partition), member);
  expect(look).not.toHaveProperty('pageToken', expect.anything());
  expect(next).toEqual({ ...look, pageToken: 'on' });
  // The look is believed: reading goes on from it, or ends with it.
  if (member === 'transactions') expect(rest.length).toBeGreaterThan(0);
});
