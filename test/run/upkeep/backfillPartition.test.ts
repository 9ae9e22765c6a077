import { expect, test } from 'vitest';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import { chains } from '../../../pipelines/data-api/chains.ts';
import { latestTransactions } from '../../../pipelines/data-api/latestTransactions.ts';
import { chainMetrics } from '../../../pipelines/metrics-api/chainMetrics.ts';
import { type Partition, partitionKey } from '../../../src/core/stream/partition.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { noteBegun } from '../../../src/load/commit/begun.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import { readRange } from '../../../src/run/read/readRange.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { type BackfillRequest, backfillPartition } from '../../../src/run/upkeep/backfillPartition.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { span } from '../../span.ts';
import { createChain, fetchOf, heightsStream, partitionOf } from '../read/heightsStream.ts';
import { readContext } from '../read/readContext.ts';
import { historyOf, transactionsBelow } from './addressHistories.ts';

const said = (reading: Promise<void>) =>
  reading.then(
    () => 'done',
    (error: Error) => error.message,
  );

async function durable(warehouse: Warehouse, stream: Stream, column: string) {
  const rows = await warehouse.query<{ at: bigint }>(`SELECT "${column}" AS at FROM ${stream.table.name} ORDER BY 1`);
  const kept = await warehouse.query<{ position: string }>(
    'SELECT "position" FROM firn.checkpoint ORDER BY "partition"',
  );
  return { rows: rows.map(({ at }) => Number(at)), positions: kept.map(({ position }) => JSON.parse(position)) };
}

const down = new Error('down');

/** Blocks from 20 on were read of a chain with 30. */
async function readHeights() {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const chain = createChain(29);
  const notes: string[] = [];
  const more = { wanted: '20', note: (sentence: string) => void notes.push(sentence) };
  const contextOf = (part: boolean, fetch: Fetch) =>
    readContext(warehouse, heightsStream, partitionOf({ from: 20, part }), fetch, more);
  const sync = (part = false) => readRange(heightsStream, contextOf(part, fetchOf(chain)));
  await sync();
  chain.asked.length = 0;
  const backfill = (request: BackfillRequest, fetch: Fetch = fetchOf(chain), part = false) =>
    said(backfillPartition(heightsStream, contextOf(part, fetch), request));
  return { warehouse, chain, sync, backfill, notes, durable: () => durable(warehouse, heightsStream, 'height') };
}

test('positions below the first row are read from a bound on, and the checkpoint stays', async () => {
  const { chain, backfill, durable } = await readHeights();
  expect(await backfill({ from: '10' })).toBe('done');
  expect(await durable()).toEqual({ rows: span(10, 30), positions: [{ next: 30 }] });
  expect(chain.asked).toEqual(['head', 'holds 29', '10..13', '14..17', '18..19']);
  // What lies there is not read twice.
  chain.asked.length = 0;
  expect(await backfill({ from: '5' })).toBe('done');
  expect(chain.asked).toEqual(['head', 'holds 29', '5..8', '9..9']);
});

test('one that was interrupted goes on where it was, and is ended before another begins', async () => {
  const { chain, backfill, durable, notes } = await readHeights();
  const failing: Fetch = async (request) => {
    if (request.path === '14..17') throw down;
    return fetchOf(chain)(request);
  };
  expect(await backfill({ from: '10' }, failing)).toBe('down');
  expect(await durable()).toMatchObject({
    rows: [...span(10, 14), ...span(20, 30)],
    positions: [{ next: 30 }, { asked: '10', at: { next: 14, last: 19 } }],
  });
  expect([await backfill({ from: '10' }, failing), notes]).toEqual(['down', []]);
  chain.asked.length = 0;
  expect(await backfill({ from: '8' })).toBe('done');
  expect(notes).toEqual(['A backfill from 10 on was interrupted: it is read to its end first.']);
  expect(chain.asked.filter((path) => path.includes('..'))).toEqual(['14..17', '18..19', '8..9']);
  expect(await durable()).toEqual({ rows: span(8, 30), positions: [{ next: 30 }] });
});

test('one that is open is read as far down as it says, whatever is asked for', async () => {
  const { warehouse, backfill, durable } = await readHeights();
  await warehouse.run(`INSERT INTO firn.checkpoint
    SELECT stream, "partition" || '|backfill', '{"asked":"10","at":null,"to":null}', 0, now()::TIMESTAMP FROM firn.checkpoint`);
  expect(await backfill({ from: '15' })).toBe('done');
  expect(await durable()).toEqual({ rows: span(10, 30), positions: [{ next: 30 }] });
});

test('one that was stopped is not taken for one that has come to its end', async () => {
  const { warehouse, chain, durable } = await readHeights();
  const stop = new AbortController();
  const stopping: Fetch = async (request) => {
    if (request.path === '14..17') stop.abort();
    return fetchOf(chain)(request);
  };
  const context = readContext(warehouse, heightsStream, partitionOf({ from: 20 }), stopping, { signal: stop.signal });
  await said(backfillPartition(heightsStream, context, { from: '10' }));
  const { rows, positions } = await durable();
  expect(positions).toEqual([{ next: 30 }, expect.objectContaining({ asked: '10' })]);
  expect(rows).not.toContain(19);
});

test('where a partition was read from becomes durable with the end of the backfill that reads below', async () => {
  const { warehouse, chain } = await readHeights();
  const partition = partitionOf({ from: 20 });
  await warehouse.run(`INSERT INTO firn.begun VALUES ('node/heights', '${partitionKey(partition)}', '20')`);
  let isKilled = false;
  const alive = <T>(work: () => Promise<T>) => (isKilled ? Promise.reject(new Error('killed')) : work());
  const killed: Warehouse = {
    ...warehouse,
    query: (sql, values) => alive(() => warehouse.query(sql, values)),
    transaction: (work, keep) =>
      alive(() => warehouse.transaction(work, keep)).finally(() => {
        isKilled = true;
      }),
  };
  const context = readContext(killed, heightsStream, partition, fetchOf(chain));
  await said(backfillPartition(heightsStream, context, { from: '10' }));
  expect(isKilled).toBe(true);
  expect((await durable(warehouse, heightsStream, 'height')).positions).toEqual([{ next: 30 }]);
  expect(await warehouse.query('SELECT "from" FROM firn.begun')).toEqual([{ from: '10' }]);
});

test('a backfill of what an earlier version read notes from where on it was read, unless nothing lies there', async () => {
  const { warehouse, backfill } = await readHeights();
  const begun = () => warehouse.query('SELECT "from" FROM firn.begun');
  expect([await backfill({ from: '25' }), await begun()]).toEqual(['done', []]);
  expect([await backfill({ from: '10' }), await begun()]).toEqual(['done', [{ from: '10' }]]);
  // A date cannot be compared with heights.
  expect([await backfill({ from: '1970-01-02' }), await begun()]).toEqual(['done', [{ from: '10' }]]);
  expect([await backfill({ from: '3' }), await begun()]).toEqual(['done', [{ from: '3' }]]);
});

test('days are read again: what was harmed is as it was', async () => {
  const { chain, warehouse, backfill, durable } = await readHeights();
  await warehouse.run('DELETE FROM raw.node_heights WHERE height IN (25, 26)');
  await warehouse.run("UPDATE raw.node_heights SET name = 'harmed' WHERE height = 24");
  // Four blocks a day: 24 to 27 are those of the seventh of January 1970.
  expect(await backfill({ again: { first: '1970-01-07', last: '1970-01-07' } })).toBe('done');
  expect(chain.asked).toEqual(['head', 'holds 29', '24..27']);
  expect(await durable()).toEqual({ rows: span(20, 30), positions: [{ next: 30 }] });
  expect(await warehouse.query("SELECT 1 AS one FROM raw.node_heights WHERE name <> 'a'")).toEqual([]);
  // All of them are of this load, those that were not harmed, too: what is built from them is built again.
  expect(
    await warehouse.query(
      'SELECT min(height)::INTEGER AS first, max(height)::INTEGER AS last FROM raw.node_heights WHERE _load_id = (SELECT max(load_id) FROM firn.load)',
    ),
  ).toEqual([{ first: 24, last: 27 }]);
  expect(await backfill({ again: { first: '1970-01-02', last: '1970-01-02' } })).toMatch(
    /was read from 1970-01-06 on, so 1970-01-02..1970-01-02 cannot be read again/,
  );
});

test('days that begin below the first row are read again from that row on', async () => {
  const { chain, backfill } = await readHeights();
  expect(await backfill({ again: { first: '1970-01-02', last: '1970-01-06' } })).toBe('done');
  expect(chain.asked).toEqual(['head', 'holds 29', '20..23']);
});

test('days that end above the last row are read again up to that row: a sync reads those behind', async () => {
  const { chain, backfill } = await readHeights();
  chain.head = 35;
  expect(await backfill({ again: { first: '1970-01-08', last: '1970-01-09' } })).toBe('done');
  expect(chain.asked).toEqual(['head', 'holds 29', '28..29']);
});

/** Heights of blocks of which only a part was taken. */
const inPart = async (warehouse: Warehouse) => {
  const rows = await warehouse.query<{ height: bigint }>('SELECT height FROM raw.node_heights WHERE extra IS NULL');
  return rows.map(({ height }) => Number(height));
};

test.each<[string, BackfillRequest, number]>([
  ['below the first row', { from: '10' }, 10],
  ['of days that are read again', { again: { first: '1970-01-07', last: '1970-01-07' } }, 24],
])('what a backfill takes in part, %s, is read again once all of it is wanted', async (_, request, partFrom) => {
  const { warehouse, sync, backfill, durable } = await readHeights();
  expect(await backfill(request, undefined, true)).toBe('done');
  expect(await inPart(warehouse)).not.toEqual([]);
  expect((await durable()).positions).toEqual([{ next: 30, partFrom }]);
  await sync();
  expect(await inPart(warehouse)).toEqual([]);
  expect((await durable()).positions).toEqual([{ next: 30 }]);
});

test.each([
  ['whole', false, span(10, 14)],
  ['in part, too', true, span(10, 20)],
])('what an interrupted backfill took in part is known, where the rest is taken %s', async (_, rest, heights) => {
  const { chain, warehouse, sync, backfill } = await readHeights();
  const failing: Fetch = async (request) => {
    if (request.path === '14..17') throw down;
    return fetchOf(chain)(request);
  };
  expect(await backfill({ from: '10' }, failing, true)).toBe('down');
  await sync();
  expect(await backfill({ from: '10' }, undefined, rest)).toBe('done');
  expect(await inPart(warehouse)).toEqual(heights);
  await sync();
  expect(await inPart(warehouse)).toEqual([]);
});

test('what was dropped because of its age is settled, and that is said', async () => {
  const { warehouse, chain, backfill } = await readHeights();
  await warehouse.run(
    `INSERT INTO firn.dropped VALUES ('raw.node_heights', TIMESTAMP '1970-01-06', 20, now()::TIMESTAMP)`,
  );
  const again = await backfill({ again: { first: '1970-01-02', last: '1970-01-02' } });
  expect(again).toMatch(
    /held from 1970-01-06 on.* cannot be read again: older rows were dropped.* settled.* new warehouse/,
  );
  expect(again).not.toMatch(/firn backfill --from/);
  const notes: string[] = [];
  const context = readContext(warehouse, heightsStream, partitionOf({ from: 20 }), fetchOf(chain));
  const noting = { ...context, note: (sentence: string) => notes.push(sentence) };
  expect(await said(backfillPartition(heightsStream, noting, { from: '18' }))).toBe('done');
  expect(notes).toEqual([expect.stringMatching(/were dropped because of their age.* settled.* "keep"/)]);
});

test('of an index that holds nothing yet there is nothing to read again', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const empty = readContext(warehouse, heightsStream, partitionOf(), fetchOf(createChain(null)));
  await readRange(heightsStream, empty);
  expect(await said(backfillPartition(heightsStream, empty, { from: '0' }))).toBe('done');
  const again = { first: '1970-01-01', last: '1970-01-02' };
  expect(await said(backfillPartition(heightsStream, empty, { again }))).toBe('done');
});

test.each([0, 1])(
  'below what begins with its genesis, or behind it, at %i, there is no day to read again',
  async (from) => {
    const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
    const chain = createChain(5);
    const context = readContext(warehouse, heightsStream, partitionOf({ from }), fetchOf(chain));
    await readRange(heightsStream, context);
    chain.asked.length = 0;
    const again = { first: '1969-11-01', last: '1969-11-02' };
    expect(await said(backfillPartition(heightsStream, context, { again }))).toBe('done');
    expect(chain.asked.filter((asked) => /^\d/.test(asked))).toEqual([]);
  },
);

test('says what it cannot do', async () => {
  const { warehouse, backfill } = await readHeights();
  expect(await backfill({ from: 'yesterday' })).toMatch(/--from "yesterday" is neither a height/);
  const never = readContext(
    warehouse,
    heightsStream,
    { ...partitionOf(), values: {}, filters: { of: 'other' } },
    fetchOf(createChain(1)),
  );
  expect(await said(backfillPartition(heightsStream, never, { from: '1' }))).toMatch(
    /was not read yet.* ends before "from", set an earlier one in firn.yaml/,
  );
  // Loads alone do not tell how far positions were read.
  await warehouse.run('DELETE FROM firn.checkpoint');
  expect(await backfill({ from: '10' })).toMatch(/was not read yet/);
  const list = latestTransactions as unknown as Stream;
  const unread = readContext(warehouse, list, { values: { chain_id: '1' }, settings: {} }, listOf(9));
  expect(await said(backfillPartition(list, unread, { from: '1' }))).toMatch(/not read yet.* joins what it reads\.$/);
  await warehouse.run(
    `INSERT INTO firn.checkpoint VALUES ('${list.id}', 'chain_id=1', '{"reading":{"token":"t","until":5}}', 1, now()::TIMESTAMP)`,
  );
  expect(await said(backfillPartition(list, unread, { from: '1' }))).toMatch(/still in its first read/);
  const snapshot = readContext(warehouse, chains, { values: {} }, fetchOf(createChain(1)));
  expect(await said(backfillPartition(chains, snapshot, { from: '1' }))).toMatch(/is read whole at every run/);
});

/** A list of transactions, newest first, ten a page; a token is the height at which its page begins. */
const listOf =
  (newest: number, asked: unknown[] = []): Fetch =>
  async (request) => {
    const { pageToken } = (request.kind === 'get' && request.query) || {};
    asked.push(pageToken);
    const from = Number(pageToken ?? newest);
    const transactions = span(Math.max(0, from - 9), from + 1)
      .reverse()
      .map((n) => ({
        blockNumber: `${n}`,
        blockTimestamp: n * 10,
        txHash: `0x${n.toString(16).padStart(64, '0')}`,
        value: '1',
      }));
    return { body: { transactions, ...(from > 9 && { nextPageToken: `${from - 10}` }) }, bytes: 1, fetchedAt: 1 };
  };

test('rows that another partition read, up to a height, are not taken for those of this one', async () => {
  const stream = addressTransactions as unknown as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const contextOf = (partition: Partition) => readContext(warehouse, stream, partition, transactionsBelow(60));
  await readPaged(stream as never, contextOf(historyOf(0, 20)));
  await readPaged(stream as never, contextOf(historyOf(50, null)));
  expect((await durable(warehouse, stream, 'block_number')).rows).toEqual([...span(0, 20), ...span(50, 60)]);
  expect(await said(backfillPartition(stream, contextOf(historyOf(50, null)), { from: '10' }))).toBe('done');
  expect((await durable(warehouse, stream, 'block_number')).rows).toEqual(span(0, 60));
});

test('days below the first row of a list are read again where the list was read from there on', async () => {
  const stream = chainMetrics as unknown as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const partition: Partition = {
    values: { chain_id: '1', metric: 'txCount', time_interval: 'day' },
    settings: { from: 0 },
  };
  const days = [20, 21];
  const fetch: Fetch = async () => {
    const results = days.map((day) => ({ timestamp: day * 86_400, value: day })).reverse();
    return { body: { results }, bytes: 1, fetchedAt: 1 };
  };
  const context = readContext(warehouse, stream, partition, fetch);
  await readPaged(stream as never, context);
  days.unshift(10);
  const again = { first: '1970-01-11', last: '1970-01-12' };
  const backfill = () => said(backfillPartition(stream, context, { again }));
  const begin = async (from: string) => {
    for (const sql of noteBegun(stream.id, partitionKey(partition), from)) await warehouse.run(sql);
  };
  expect(await backfill()).toMatch(/was read from 1970-01-21 on/);
  // A height does not tell of a day.
  for (const from of ['1970-01-12', '7']) {
    await begin(from);
    expect(await backfill()).toMatch(/was read from 1970-01-21 on/);
  }
  await begin('1970-01-11');
  expect(await backfill()).toBe('done');
  expect(await warehouse.query('SELECT value_text FROM raw.metrics_chain_metrics ORDER BY "timestamp"')).toEqual(
    ['10', '20', '21'].map((value_text) => ({ value_text })),
  );
  // Those between are not read for it.
  expect((await durable(warehouse, stream, 'value_text')).positions).toEqual([{ newest: 21 * 86_400 }]);
});

test('days of a list that were dropped because of their age are not read again', async () => {
  const stream = latestTransactions as unknown as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const settings = { from: { height: 0 }, pageSize: 10 };
  // A day and two hours: the second day begins at block 8640.
  const list = listOf(9359);
  const context = readContext(warehouse, stream, { values: { chain_id: '1' }, settings }, list);
  await warehouse.run(
    `INSERT INTO firn.checkpoint VALUES ('${stream.id}', 'chain_id=1', '{"cursor":9359,"since":{"time":0}}', 1, now()::TIMESTAMP)`,
  );
  await warehouse.run(
    `INSERT INTO firn.dropped VALUES ('raw.data_latest_transactions', TIMESTAMP '1970-01-02', 8640, now()::TIMESTAMP)`,
  );
  const again = (first: string, last = first) => said(backfillPartition(stream, context, { again: { first, last } }));
  expect(await again('1970-01-01')).toMatch(/held from 1970-01-02 on.* cannot be read again: older rows were dropped/);
  expect(await again('1970-01-01', '1970-01-02')).toMatch(/older rows were dropped/);
  expect(await again('1970-01-02')).toBe('done');
});

test('what lies below the first read of a list joins it: its floor is the lower one', async () => {
  const stream = latestTransactions as unknown as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const settings = { from: { height: 80 }, pageSize: 10 };
  const partition = { values: { chain_id: '1' }, settings } satisfies Partition;
  const contextOf = (fetch: Fetch) => readContext(warehouse, stream, partition, fetch);
  await readPaged(stream as never, contextOf(listOf(99)));
  expect(await durable(warehouse, stream, 'block_number')).toEqual({
    rows: span(80, 100),
    positions: [{ cursor: 99, since: { height: 80 } }],
  });
  const failing: Fetch = async (request) => {
    const answer = await listOf(99)(request);
    if (request.kind === 'get' && request.query?.['pageToken'] === '69') throw down;
    return answer;
  };
  expect(await said(backfillPartition(stream, contextOf(failing), { from: '55' }))).toBe('down');
  // What is new is read in between.
  await readPaged(stream as never, contextOf(listOf(104)));
  const asked: unknown[] = [];
  expect(await said(backfillPartition(stream, contextOf(listOf(104, asked)), { from: '55' }))).toBe('done');
  expect(asked[0]).toBe('69');
  expect(await durable(warehouse, stream, 'block_number')).toEqual({
    rows: span(55, 105),
    positions: [{ cursor: 104, since: { height: 55 } }],
  });
  // Nobody noted it: its place tells that it was read from further below.
  await warehouse.run('DELETE FROM firn.begun');
  const wanted = readContext(warehouse, stream, partition, listOf(104), { wanted: '80' });
  expect(await said(backfillPartition(stream, wanted, { from: '70' }))).toBe('done');
  expect(await warehouse.query('FROM firn.begun')).toEqual([]);
});
