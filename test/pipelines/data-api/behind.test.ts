import { expect, test } from 'vitest';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import type { PagedStream } from '../../../src/core/stream/stream.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { address, listOf, settings, span } from '../../run/read/lateLists.ts';
import { readContext } from '../../run/read/readContext.ts';

/** Reads a history from a moment on, once for each list of heights; gives what became of each read. */
async function reads(declared: unknown, from: object, ...lists: (readonly number[])[]) {
  const stream = declared as PagedStream;
  const partition = { values: { chain_id: '1', address }, settings: { ...settings, from } };
  const warehouse = await temporaryWarehouse([
    stream.table,
    ...Object.values(stream.children).map(({ table }) => table),
  ]);
  const said: string[] = [];
  for (const heights of lists) {
    const context = readContext(warehouse, stream, partition, listOf(heights, []));
    said.push(
      await readPaged(stream, context).then(
        () => 'done',
        (error: Error) => /ends below block_number \d+/.exec(error.message)?.[0] ?? String(error),
      ),
    );
  }
  return said;
}

test.each([
  ['by height', { height: 0 }],
  ['by date', { time: 500 }],
])('a history %s that no longer shows its newest row is not up to date', async (_, from) => {
  const lists = [span(0, 60), span(0, 60), span(0, 55), span(0, 61)];
  expect(await reads(addressTransactions, from, ...lists)).toEqual([
    'done',
    'done',
    'ends below block_number 59',
    'done',
  ]);
});

test('a history without a row since its date is', async () => {
  const lists = [span(0, 40), span(0, 40), span(0, 61), []];
  const behind = 'ends below block_number 60';
  expect(await reads(addressTransactions, { time: 500 }, ...lists)).toEqual(['done', 'done', 'done', behind]);
});
