import { expect, test } from 'vitest';
import { addressInternalTransactions } from '../../../pipelines/data-api/addressInternalTransactions.ts';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import { dialectProblems } from '../../../src/cluster/render/dialectProblems.ts';
import { trinoMacros } from '../../../src/cluster/render/expandMacros.ts';
import { renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import type { PagedStream } from '../../../src/core/stream/stream.ts';
import { heldBelow } from '../../../src/run/read/lookBack.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { listOf, readers, span } from '../../run/read/lateLists.ts';
import { streamCluster } from './streamCluster.ts';

/** A cluster that reads one partition of a list again and again. */
async function reading(declared: unknown, partition: object) {
  const stream = { ...(declared as PagedStream), needs: [] } as PagedStream;
  const { run, control, engine, lake } = await streamCluster(stream);
  const staged = async () => {
    const [row] = await control.query<{ rows: string }>(
      'SELECT coalesce(sum(rows), 0) AS rows FROM firn.batch_file WHERE table_name = $1',
      [stream.table.name],
    );
    return Number(row?.rows);
  };
  const loads = async () => (await control.query('SELECT 1 AS one FROM firn.load')).length;
  return {
    loads,
    async count(name: string) {
      for (const table of lake.tables) await engine.ensureTable(table);
      const [row] = await engine.query<{ rows: bigint }>(`SELECT count(*) AS "rows" FROM ${name}`);
      return Number(row?.rows);
    },
    /** Heights of the rows there are then, how many were staged for it, and where the cursor is. */
    async sync(fetch: Fetch, back: number | undefined, more: Partial<WorkerOptions> = {}) {
      const before = await staged();
      const read = { ...partition, ...(back && { lookback: back }) };
      await run({
        planned: [{ pipeline: 'p', stream: { ...stream, partitions: () => [read] } as never, parameters: {} }],
        fetch: { data: fetch },
        timing: { retry: 3_600_000 },
        ...more,
      });
      await engine.ensureTable(lake.tables[0] as never);
      const rows = await engine.query<{ at: bigint }>(`SELECT block_number AS at FROM ${stream.table.name} ORDER BY 1`);
      const [part] = await control.query<{ cursor: string | null }>('SELECT cursor FROM firn.part');
      return {
        rows: rows.map(({ at }) => Number(at)),
        staged: (await staged()) - before,
        position: JSON.parse(part?.cursor ?? 'null'),
      };
    },
  };
}

test.each(readers)('what is read again is not staged again, %s', { tags: 'long' }, async (...[, stream, partition]) => {
  const { sync } = await reading(stream, partition);
  expect(await sync(listOf(span(0, 100), []), undefined)).toMatchObject({ rows: span(0, 100), staged: 100 });
  expect(await sync(listOf(span(0, 100), []), undefined)).toMatchObject({ rows: span(0, 100), staged: 0 });
  expect(await sync(listOf(span(0, 102), []), undefined)).toMatchObject({ rows: span(0, 102), staged: 2 });
});

test('a look that brings nothing but members that were noted before is no load', { tags: 'long' }, async () => {
  const [, stream, partition] = readers[0] as (typeof readers)[number];
  const { sync, loads } = await reading(stream, partition);
  const listed =
    (name: string): Fetch =>
    async (...of) => {
      const { body, ...answer } = await listOf(span(0, 5), [])(...of);
      const { transactions } = body as { readonly transactions: readonly object[] };
      return { ...answer, body: { transactions: transactions.map((row) => ({ ...row, [name]: 1 })) } };
    };
  await sync(listed('novel'), undefined);
  const first = await loads();
  await sync(listed('novel'), undefined);
  expect(await loads()).toBe(first);
  await sync(listed('newer'), undefined);
  expect(await loads()).toBe(first + 1);
});

test('a list whose rows have no time is read all the same', { tags: 'long' }, async () => {
  const { sync } = await reading(
    { ...addressTransactions, files: undefined },
    (readers[1] as (typeof readers)[number])[2],
  );
  expect(await sync(listOf(span(0, 100), []), undefined)).toMatchObject({ rows: span(0, 100) });
  expect(await sync(listOf(span(0, 102), []), undefined)).toMatchObject({ rows: span(0, 102) });
});

test.each(readers)(
  'rows that are listed late are read, once, %s: the cursor stays',
  { tags: 'long' },
  async (...reader) => {
    const { sync } = await reading(reader[1], reader[2]);
    const position = expect.objectContaining(reader[3](99));
    expect(await sync(listOf(span(0, 100, [60, 85]), []), 200)).toMatchObject({ staged: 98, position });
    // Block 79 is the first within 200 seconds; block 60 is too old.
    expect(await sync(listOf(span(0, 100), []), 200)).toMatchObject({ rows: span(0, 100, [60]), staged: 1, position });
    const asked: string[] = [];
    expect(await sync(listOf(span(0, 100), asked), 200)).toMatchObject({ staged: 0, position });
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(await sync(listOf(span(0, 101), []), 200)).toMatchObject({ rows: span(0, 101, [60]), staged: 1 });
  },
);

test.each(readers)(
  'one that begins to look back, or farther, asks the lake how far, %s',
  { tags: 'long' },
  async (...reader) => {
    const { sync } = await reading(reader[1], reader[2]);
    const position = expect.objectContaining(reader[3](99));
    await sync(listOf(span(0, 100, [30, 60, 85]), []), undefined);
    // Rows that nobody compared with are staged once more.
    expect(await sync(listOf(span(0, 100), []), 200)).toMatchObject({ rows: span(0, 100, [30, 60]), position });
    expect(await sync(listOf(span(0, 100), []), 200)).toMatchObject({ staged: 0 });
    expect(await sync(listOf(span(0, 100), []), 500)).toMatchObject({ rows: span(0, 100, [30]), position });
    expect(await sync(listOf(span(0, 100), []), 500)).toMatchObject({ staged: 0 });
  },
);

test.each(readers)(
  'where all that was read is younger, it is read from the beginning, %s',
  { tags: 'long' },
  async (...reader) => {
    const { sync } = await reading(reader[1], reader[2]);
    await sync(listOf(span(0, 100, span(0, 50)), []), 86_400);
    expect(await sync(listOf(span(0, 100), []), 86_400)).toMatchObject({ rows: span(0, 100), staged: 50 });
  },
);

test.each(readers)('both engines read alike what the lake is asked, %s', async (...[, stream, partition]) => {
  const asked: string[] = [];
  await heldBelow(stream as PagedStream, { ...(partition as Partition), lookback: 200 }, 990, async (sql) => {
    asked.push(renderForTrino(sql, { macros: trinoMacros(), views: new Map(), table: (name) => `lake.${name}` }));
    return [];
  });
  expect(asked).toEqual([expect.stringContaining('FROM lake.raw.data_')]);
  expect(asked.flatMap(dialectProblems)).toEqual([]);
});

test('nobody looks back further than the lake can say while rows are on their way to it', {
  tags: 'long',
}, async () => {
  const [, stream, partition] = readers[1] as (typeof readers)[number];
  const { sync } = await reading(stream, partition);
  const late = listOf(span(0, 100), []);
  await sync(listOf(span(0, 100, [85]), []), undefined, { applyRest: undefined });
  const asked: string[] = [];
  await sync(listOf(span(0, 100), asked), 200, { applyRest: undefined });
  expect(asked).toEqual(['99']);
  await sync(late, undefined);
  expect(await sync(late, 200)).toMatchObject({ rows: span(0, 100) });
});

test('a worker that is killed while it looks back leaves what the next one goes on from', {
  tags: 'long',
}, async () => {
  const [, stream, partition] = readers[1] as (typeof readers)[number];
  const { sync } = await reading(stream, partition);
  await sync(listOf(span(0, 100, [85, 95]), []), 300);
  const list = listOf(span(0, 103), []);
  let left = 2;
  const dying: Fetch = async (request) => {
    if (left-- === 0) throw new Error('killed');
    return list(request);
  };
  await sync(dying, 300);
  expect(await sync(list, 300)).toMatchObject({ rows: span(0, 103), position: { next: 102 } });
});

test('rows that are alike go into the lake together, and a read of a part of them takes none away', {
  tags: 'long',
}, async () => {
  const address = `0x${'1'.repeat(40)}`;
  const settings = { from: { height: 0 }, to: null, pageSize: 10 };
  const { sync } = await reading(addressInternalTransactions, { values: { chain_id: '1', address }, settings });
  const listing =
    (rows: number, isFailing = false): Fetch =>
    async (request) => {
      const { pageToken, endBlock } = (request.kind === 'get' && request.query) || {};
      if (isFailing && endBlock !== undefined) throw new Error('down');
      const call = { from: { address }, to: { address }, internalTxType: 'CALL', value: '1', isReverted: false };
      const row = { ...call, blockNumber: '5', blockTimestamp: 50, txHash: '0x5', gasUsed: '1', gasLimit: '1' };
      const transactions = Array.from({ length: pageToken ? rows - 10 : 10 }, () => row);
      return { body: { transactions, ...(!pageToken && { nextPageToken: '10' }) }, bytes: 1, fetchedAt: 1 };
    };
  const fives = (rows: number) => Array.from({ length: rows }, () => 5);
  expect(await sync(listing(15), 100)).toMatchObject({ rows: fives(15), staged: 15 });
  expect(await sync(listing(15, true), 100)).toMatchObject({ rows: fives(15), staged: 0 });
  // One more is listed late: all of its key are in the newest batch.
  expect(await sync(listing(16), 100)).toMatchObject({ rows: fives(16), staged: 16 });
});

test('a transaction of which a transfer came late or went enters the lake with all of its transfers', {
  tags: 'long',
}, async () => {
  const { sync, count } = await reading(addressTransactions, (readers[1] as (typeof readers)[number])[2]);
  const transfers = 'raw.data_address_transactions_erc20_transfers';
  const listing = (ofLast: number): Fetch => {
    const list = listOf(span(0, 30), []);
    return async (request) => {
      const answer = await list(request);
      const { transactions } = answer.body as { transactions: { nativeTransaction: { blockNumber: string } }[] };
      const transfer = (logIndex: number) => ({
        ...{ logIndex, value: '1', from: { address: '0x1' }, to: { address: '0x2' } },
        erc20Token: { address: '0x3', name: 'T', symbol: 'T', decimals: 18, ercType: 'ERC-20', price: {} },
      });
      const with20 = transactions.map((one) => ({
        ...one,
        erc20Transfers: Array.from({ length: one.nativeTransaction.blockNumber === '29' ? ofLast : 1 }, (_, i) =>
          transfer(i),
        ),
      }));
      return { ...answer, body: { ...(answer.body as object), transactions: with20 } };
    };
  };
  await sync(listing(2), undefined);
  expect(await count(transfers)).toBe(31);
  for (const [ofLast, staged] of [
    [2, 0],
    [3, 1],
    [1, 1],
    [1, 0],
    // Where none is left, none tells of it.
    [0, 1],
    [0, 0],
  ] as const) {
    expect(await sync(listing(ofLast), undefined)).toMatchObject({ rows: span(0, 30), staged });
    expect({ ofLast, rows: await count(transfers) }).toEqual({ ofLast, rows: 29 + ofLast });
  }
});
