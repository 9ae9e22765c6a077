import { expect, test } from 'vitest';
import { chains } from '../../../pipelines/data-api/chains.ts';
import type { Stream } from '../../../src/core/stream.ts';
import { syncStreams } from '../../../src/run/read/syncStreams.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

const list = (...ids: number[]) => ({ chains: ids.map((id) => ({ chainId: String(id) })) });
const network = { networkId: null, network: 'fuji', hrp: 'fuji', chains: [] };
const many = [1, 2, 3, 4, 5, 6, 7];

/** Reads the list into a new warehouse, once for each group of answers; gives the outcome of the last read. */
async function reading(...reads: readonly (readonly object[])[]) {
  const warehouse = await temporaryWarehouse([chains.table]);
  const asked: number[] = [];
  let outcome: unknown;
  for (const answers of reads) {
    let next = 0;
    const [result] = await syncStreams({
      warehouse,
      planned: [{ stream: chains as unknown as Stream, parameters: {} }] as never,
      network,
      fetch: { data: async () => ({ body: answers[next++], fetchedAt: Date.now(), bytes: 1 }) },
      runId: 'test',
      signal: new AbortController().signal,
    });
    asked.push(next);
    outcome = result?.code ?? result?.outcome;
  }
  const current = await warehouse.query<{ id: string }>(
    'SELECT chain_id AS id FROM raw.data_chains WHERE _valid_to IS NULL ORDER BY 1',
  );
  return { outcome, asked: asked.at(-1), current: current.map(({ id }) => Number(id)) };
}

test.each<[string, (readonly object[])[], unknown]>([
  ['half of it, at once', [[list(...many)], [list(1, 2, 3, 4)]], { outcome: 'done', asked: 1, current: [1, 2, 3, 4] }],
  [
    'less, told twice',
    [[list(...many)], [list(1, 2, 3), list(3, 2, 1)]],
    { outcome: 'done', asked: 2, current: [1, 2, 3] },
  ],
  ['nothing, told twice', [[list(1)], [list(), list()]], { outcome: 'done', asked: 2, current: [] }],
  [
    'nothing, then all of it',
    [[list(...many)], [list(), list(...many, 8)]],
    { outcome: 'done', asked: 2, current: [...many, 8] },
  ],
  [
    'less, and less, and the same',
    [[list(...many)], [list(1), list(2), list(2)]],
    { outcome: 'done', asked: 3, current: [2] },
  ],
  [
    'something else each time: nothing is closed',
    [[list(...many)], [list(1), list(2), list(3)]],
    { outcome: 'contract', asked: 3, current: many },
  ],
  [
    'records that cannot be read in place of all of it: nothing is closed',
    [[list(...many)], [{ chains: [{}, {}] }, { chains: [{}, {}] }]],
    { outcome: 'done', asked: 2, current: many },
  ],
])('a list that holds %s', async (_, reads, wanted) => {
  expect(await reading(...reads)).toEqual(wanted);
});
