/** @module-tag long */
import { expect, test } from 'vitest';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { RangeStream } from '../../../src/core/stream/stream.ts';
import { heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';

/** Reads a made-up chain as a stream that differs in some members, and gives what is told of it. */
async function opened(own: Partial<RangeStream>, from: Parameters<typeof partitionOf>[0] = {}) {
  const { run, ...cluster } = await heightsCluster();
  const stream: RangeStream = { ...heightsStream, partitions: () => [partitionOf(from)], ...own };
  const read = async () => {
    const told: string[] = [];
    const finished: WorkerOptions['finished'] = (_, { message, notes = [] }) =>
      void told.push(...notes, ...(message === undefined ? [] : [message]));
    await run({ planned: [{ pipeline: 'p', stream, parameters: {} }], finished });
    return told;
  };
  return { read, ...cluster };
}

test('an empty source is told of, until it holds something', async () => {
  const { read, chain } = await opened({ whereEmpty: () => 'It may have been switched on late.' });
  chain.head = null;
  expect(await read()).toEqual(['It may have been switched on late.']);
  chain.head = 3;
  expect(await read()).toEqual([]);
});

test('so is one that ends before the position from which it is to be read', async () => {
  const { read, chain, heights } = await opened({}, { from: 40 });
  const told = 'Nothing is read yet: it is to begin at height 40 (from), and the source ends at 29.';
  expect(await read()).toEqual([told]);
  chain.head = 41;
  expect([await read(), await read()]).toEqual([[], []]);
  expect(await heights()).toEqual([40, 41]);
});

test('of one that does not begin as it should no stretch is read', async () => {
  const late = new FirnError('contract', 'It was switched on late.');
  const { read, ledger } = await opened({
    // biome-ignore lint/correctness/useYield: it asks nothing.
    *checkBegin() {
      throw late;
    },
  });
  expect(await read()).toEqual([late.message]);
  expect(await ledger.pendingTables()).toEqual([]);
});
