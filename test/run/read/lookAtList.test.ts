import { expect, test } from 'vitest';
import { latestTransactions } from '../../../pipelines/data-api/latestTransactions.ts';
import type { PagedStream } from '../../../src/core/stream/stream.ts';
import { lookAtList } from '../../../src/run/read/lookAtList.ts';

test('a list is asked for by the clock of whoever reads it', async () => {
  const asked: number[] = [];
  const stream = {
    ...latestTransactions,
    // biome-ignore lint/correctness/useYield: it has no page
    *pages(_, { now }) {
      asked.push(now);
    },
  } as PagedStream;
  const partition = { values: { chain_id: '1' }, settings: {} };
  const context = { partition, fetch: () => Promise.reject(), now: () => 12, warehouse: { query: async () => [] } };
  await lookAtList(stream, context, { networkId: null, network: 'fuji', hrp: 'fuji', chains: [] }, { at: '1' });
  expect(asked).toEqual([12]);
});
