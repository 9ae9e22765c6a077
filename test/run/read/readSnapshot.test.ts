import { expect, test } from 'vitest';
import { chains } from '../../../pipelines/data-api/chains.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { syncStreams } from '../../../src/run/read/syncStreams.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

const list = (...ids: number[]) => ({ chains: ids.map((id) => ({ chainId: String(id) })) });
const page = (token: string, ...ids: number[]) => ({ ...list(...ids), nextPageToken: token });
/** A list of which the first record cannot be read, and shows which one it is. */
const unreadable = (id: number, ...others: number[]) => ({
  chains: [{ chainId: String(id), status: {} }, ...list(...others).chains],
});
const network = { networkId: null, network: 'fuji', hrp: 'fuji', chains: [] };
const many = [1, 2, 3, 4, 5, 6, 7];

const syncing = (warehouse: Warehouse) => ({
  warehouse,
  planned: [{ stream: chains as unknown as Stream, parameters: {} }] as never,
  network,
  runId: 'test',
  signal: new AbortController().signal,
});

/** Reads the list into a new warehouse, once for each group of answers; gives the outcome of the last read. */
async function reading(...reads: readonly (readonly object[] | ((warehouse: Warehouse) => Promise<unknown>))[]) {
  const warehouse = await temporaryWarehouse([chains.table]);
  const asked: number[] = [];
  let outcome: unknown;
  let notes: unknown;
  for (const answers of reads) {
    if (typeof answers === 'function') {
      await answers(warehouse);
      continue;
    }
    let next = 0;
    const [result] = await syncStreams({
      ...syncing(warehouse),
      fetch: { data: async () => ({ body: answers[next++], fetchedAt: Date.now(), bytes: 1 }) },
    });
    asked.push(next);
    outcome = result?.code ?? result?.outcome;
    notes = result?.notes;
  }
  // A process that goes on for weeks must not gather what it read.
  expect(await warehouse.query('SELECT table_name FROM duckdb_tables() WHERE temporary')).toEqual([]);
  const current = await warehouse.query<{ id: string }>(
    'SELECT chain_id AS id FROM raw.data_chains WHERE _valid_to IS NULL ORDER BY 1',
  );
  const ended = await warehouse.query<{ id: string }>(
    'SELECT chain_id AS id FROM raw.data_chains WHERE _valid_to IS NOT NULL ORDER BY 1',
  );
  return {
    outcome,
    notes,
    asked: asked.at(-1),
    current: current.map(({ id }) => Number(id)),
    ended: ended.map(({ id }) => Number(id)),
  };
}

test.each<[string, (readonly object[])[], object]>([
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
    'less, and less of that, and the same',
    [[list(...many)], [list(1, 2), list(1), list(1)]],
    { outcome: 'done', asked: 3, current: [1] },
  ],
  [
    'less, and that more than once',
    [[list(...many)], [list(1, 2, 1, 2, 1, 2), list(1, 2)]],
    { outcome: 'done', asked: 2, current: [1, 2] },
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
  [
    'a record that cannot be read, and lacks another: its row is not closed, the other one is',
    [[list(...many)], [{ chains: [...list(1, 2, 3, 4, 5).chains, { chainId: '6', status: {} }] }]],
    { outcome: 'done', asked: 1, current: [1, 2, 3, 4, 5, 6], ended: [7] },
  ],
  [
    'a record of which nothing tells which it is: no row is closed',
    [[list(...many)], [{ chains: [...list(1, 2, 3, 4, 5).chains, {}] }]],
    { outcome: 'done', asked: 1, current: many, ended: [] },
  ],
])('a list that holds %s', async (_, reads, wanted) => {
  expect(await reading(...reads)).toMatchObject(wanted);
});

test('a record of which nothing tells which it is holds all rows until it can be read, is gone, or is accepted', {
  tags: 'long',
}, async () => {
  const nameless = { chains: [...list(1, 2).chains, { chainName: {} }] };
  const held = expect.stringMatching(/^5 rows that are not listed any more stay current: a record cannot be read/);
  const [whole, less] = [[list(...many)], [list(1, 2, 3, 4)]];
  expect(await reading(whole, [nameless, nameless])).toMatchObject({ current: many, notes: [held] });
  // Less than half of the list needs the same answer twice.
  expect(await reading(whole, [nameless, nameless], less)).toMatchObject({ current: [1, 2, 3, 4], notes: undefined });
  const accept = (warehouse: Warehouse) => warehouse.run('UPDATE firn.quarantine SET accepted_at = now()::TIMESTAMP');
  expect(await reading(whole, [nameless, nameless], accept, [nameless, nameless])).toMatchObject({
    current: [1, 2],
    notes: undefined,
  });
});

test.each<[string, (readonly object[])[], object]>([
  [
    'one is not gone that moved to a page that was read before',
    [[list(...many)], [page('a', 1, 2, 3), list(5, 6, 7), page('b', 4, 1, 2, 3), list(5, 6, 7)]],
    { outcome: 'done', asked: 4, current: many, ended: [] },
  ],
  [
    'nor where another one moves while the list is read again',
    [[list(...many)], [page('a', 1, 2, 3), list(5, 6, 7), page('b', 4, 1, 2), list(6, 7)]],
    { outcome: 'done', asked: 4, current: many, ended: [] },
  ],
  [
    'one is gone that is on none of them twice',
    [[list(...many)], [page('a', 1, 2, 3), list(5, 6, 7, 8), page('b', 1, 2, 3), list(5, 6, 7, 8)]],
    { outcome: 'done', asked: 4, current: [1, 2, 3, 5, 6, 7, 8], ended: [4] },
  ],
  [
    'nor where it could not be read the first time',
    [[list(...many)], [page('a', 1, 2, 3), unreadable(4, 5, 6), page('b', 1, 2, 3), list(5, 6, 7)]],
    { outcome: 'done', asked: 4, current: many, ended: [] },
  ],
  [
    'and nothing is asked again where none is missing',
    [[list(1, 2)], [page('a', 1, 2), list(3)]],
    { asked: 2, current: [1, 2, 3] },
  ],
  [
    'nor where the one that is missing cannot be read',
    [[list(1, 2)], [page('a', 1), unreadable(2, 3)]],
    { asked: 2, current: [1, 2, 3] },
  ],
])('of a list of several pages, %s', async (_, reads, wanted) => {
  expect(await reading(...reads)).toMatchObject(wanted);
});

test('a list that is asked for nothing, as without yield*, closes no row and says so', async () => {
  const warehouse = await temporaryWarehouse([chains.table]);
  const read = async (stream: unknown) => {
    const [result] = await syncStreams({
      ...syncing(warehouse),
      planned: [{ stream, parameters: {} }] as never,
      fetch: { data: async () => ({ body: list(1, 2), fetchedAt: Date.now(), bytes: 1 }) },
    });
    return result;
  };
  expect(await read(chains)).toMatchObject({ outcome: 'done', rows: 2 });
  expect(await read({ ...chains, *pages() {} })).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining(
      'data/chains: "pages" asked for nothing, so no row was closed. Write yield* before',
    ),
  });
  expect(await warehouse.query('SELECT _valid_to FROM raw.data_chains')).toEqual([
    { _valid_to: null },
    { _valid_to: null },
  ]);
});

test('a list that is stopped between its pages closes nothing, and has not failed', async () => {
  const warehouse = await temporaryWarehouse([chains.table]);
  const stop = new AbortController();
  const sync = async (...answers: readonly object[]) => {
    const fetch = async () => {
      if (answers.length === 2) stop.abort();
      return { body: answers[0], fetchedAt: Date.now(), bytes: 1 };
    };
    return syncStreams({ ...syncing(warehouse), signal: stop.signal, fetch: { data: fetch } });
  };
  expect(await sync(list(...many))).toMatchObject([{ outcome: 'done', rows: 7 }]);
  expect(await sync(page('next', 1), list(2))).toMatchObject([{ outcome: 'stopped', rows: 0 }]);
  expect(await warehouse.query('SELECT 1 FROM raw.data_chains WHERE _valid_to IS NULL')).toHaveLength(7);
});

test('of a row that came on two pages, the later one counts', async () => {
  const warehouse = await temporaryWarehouse([chains.table]);
  const named = (chainName: string) => ({ chains: [{ chainId: '1', chainName }] });
  const answers = [{ ...named('first'), nextPageToken: 'a' }, named('second')];
  await syncStreams({
    ...syncing(warehouse),
    fetch: { data: async () => ({ body: answers.shift(), fetchedAt: 1, bytes: 1 }) },
  });
  expect(await warehouse.query('SELECT chain_name FROM raw.data_chains')).toEqual([{ chain_name: 'second' }]);
});

test('lists that are read at the same time, page by page, keep their rows apart', { tags: 'long' }, async () => {
  const warehouse = await temporaryWarehouse([chains.table]);
  const features = ['nftIndexing', 'teleporter', 'webhooks'];
  const results = await syncStreams({
    ...syncing(warehouse),
    planned: features.map((feature) => ({ stream: chains as unknown as Stream, parameters: { feature } })) as never,
    fetch: {
      data: async (request) => {
        const { feature, pageToken } = (request.kind === 'get' && request.query) || {};
        const place = Number(pageToken ?? 0);
        const first = 100 * features.indexOf(String(feature)) + 10 * place;
        const ids = [first + 1, first + 2];
        const body = place < 5 ? page(`${place + 1}`, ...ids) : list(...ids);
        return { body, fetchedAt: Date.now(), bytes: 1 };
      },
    },
  });
  expect(results.map(({ outcome, rows }) => [outcome, rows])).toEqual(Array(3).fill(['done', 12]));
  const loads = await warehouse.query(
    'SELECT count(DISTINCT chain_id) AS rows, count(DISTINCT CAST(chain_id AS INTEGER) // 100) AS lists FROM raw.data_chains GROUP BY _load_id',
  );
  expect(loads).toEqual(Array(3).fill({ rows: 12n, lists: 1n }));
});
