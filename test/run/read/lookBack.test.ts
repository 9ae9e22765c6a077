import { expect, test } from 'vitest';
import { addressInternalTransactions } from '../../../pipelines/data-api/addressInternalTransactions.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { type PagedStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { heldBelow } from '../../../src/run/read/lookBack.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { address, listOf, type Reader, readers, settings, span } from './lateLists.ts';
import { readContext } from './readContext.ts';

/** A partition that is read again and again. */
async function reading([, declared, partition]: Reader, lookback: number) {
  const stream = declared as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  return {
    warehouse,
    table: stream.table.name,
    /** Heights of the rows there are then, how many of them were written, where the checkpoint is, and what was asked for. */
    async sync(heights: readonly number[], back: number | null = lookback, answers = Number.POSITIVE_INFINITY) {
      const asked: string[] = [];
      const list = listOf(heights, asked);
      const fetch: Fetch = async (request) => {
        if (asked.length === answers) throw new FirnError('unavailable', 'down');
        return list(request);
      };
      const context = readContext(warehouse, stream, { ...partition, ...(back && { lookback: back }) } as never, fetch);
      await readPaged(stream, context).catch((error) => expect(error).toMatchObject({ message: 'down' }));
      const rows = await warehouse.query<{ at: bigint }>(
        `SELECT block_number AS at FROM ${stream.table.name} ORDER BY 1`,
      );
      const position = await context.saved();
      const written = context.done.reduce((sum, { rows }) => sum + rows, 0);
      return { rows: rows.map(({ at }) => Number(at)), written, position, asked };
    },
  };
}

test.each(readers)(
  'rows that are listed late are read, once, %s: the checkpoint stays',
  { tags: 'long' },
  async (...reader) => {
    const { sync } = await reading(reader, 200);
    const position = expect.objectContaining(reader[3](99));
    expect(await sync(span(0, 100, [60, 85]))).toMatchObject({ rows: span(0, 100, [60, 85]), position });
    expect(await sync(span(0, 100), null)).toMatchObject({ written: 0 });
    // Block 79 is the first within 200 seconds; block 60 is too old.
    expect(await sync(span(0, 100))).toMatchObject({ rows: span(0, 100, [60]), written: 1, position });
    expect(await sync(span(0, 100))).toMatchObject({ rows: span(0, 100, [60]), written: 0, position });
    const moved = expect.objectContaining(reader[3](100));
    expect(await sync(span(0, 101))).toMatchObject({ rows: span(0, 101, [60]), written: 1, position: moved });
  },
);

test.each(readers)(
  'a read that looks back and is cut short leaves the checkpoint where it was, %s',
  async (...reader) => {
    const { sync } = await reading(reader, 400);
    await sync(span(0, 100, [65, 85]));
    const cut: unknown[] = [];
    for (const answers of [1, 2, 3]) cut.push((await sync(span(0, 100, [85]), 400, answers)).position);
    expect(cut).toEqual(cut.map(() => expect.objectContaining(reader[3](99))));
    expect(await sync(span(0, 100))).toMatchObject({
      rows: span(0, 100),
      position: expect.objectContaining(reader[3](99)),
    });
  },
);

test('a read of a part of a block takes none of its rows away that are alike', async () => {
  const stream = addressInternalTransactions as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const sync = async (isFailing = false) => {
    const fetch: Fetch = async (request) => {
      const { pageToken, endBlock } = (request.kind === 'get' && request.query) || {};
      if (isFailing && endBlock !== undefined) throw new Error('down');
      const call = { from: { address }, to: { address }, internalTxType: 'CALL', value: '1', isReverted: false };
      const row = { ...call, blockNumber: '5', blockTimestamp: 50, txHash: '0x5', gasUsed: '1', gasLimit: '1' };
      // Fifteen rows of one block, on two pages.
      const transactions = Array.from({ length: pageToken ? 5 : 10 }, () => row);
      return { body: { transactions, ...(!pageToken && { nextPageToken: '10' }) }, bytes: 1, fetchedAt: 1 };
    };
    const partition = { values: { chain_id: '1', address }, settings, lookback: 100 };
    await readPaged(stream, readContext(warehouse, stream, partition, fetch)).catch(() => {});
    return warehouse.query(`SELECT count(*)::INT AS "rows" FROM ${stream.table.name}`);
  };
  for (const isFailing of [false, true]) expect(await sync(isFailing)).toEqual([{ rows: 15 }]);
});

test.each(readers.slice(0, 2))(
  'the way back is measured from a cursor, whatever is held above it, %s',
  async (...reader) => {
    const { sync, warehouse } = await reading(reader, 200);
    await sync(span(0, 100));
    const [, stream, partition] = reader;
    const held = await heldBelow(stream as never, { ...partition, lookback: 200 } as never, 50, warehouse.query);
    expect(held).toEqual({ begin: 29, lowest: 0 });
  },
);

test.each(readers)('as much is asked for as lies in the time, %s', async (...reader) => {
  const { sync } = await reading(reader, 200);
  await sync(span(0, 100));
  const { asked } = await sync(span(0, 100));
  expect(asked.length).toBeLessThanOrEqual(4);
  expect((await sync(span(0, 100), null)).asked.length).toBeLessThan(asked.length);
});

test.each(readers)('where all that is held is younger, it is read from the beginning, %s', async (...reader) => {
  const { sync } = await reading(reader, 86_400);
  await sync(span(0, 100, span(0, 50)));
  expect(await sync(span(0, 100))).toMatchObject({
    rows: span(0, 100),
    position: expect.objectContaining(reader[3](99)),
  });
});

test.each(readers)('what was dropped because of its age stays away, and no younger row, %s', async (...reader) => {
  const { sync, warehouse, table } = await reading(reader, 86_400);
  await sync(span(0, 100, [70]));
  await warehouse.run(`DELETE FROM ${table} WHERE block_number < 50`);
  await warehouse.run(`INSERT INTO firn.dropped VALUES ('${table}', now()::TIMESTAMP, 50, now()::TIMESTAMP)`);
  expect(await sync(span(0, 100))).toMatchObject({ rows: span(50, 100), written: 1 });
  await warehouse.run(`DELETE FROM ${table}`);
  expect(await sync(span(0, 100))).toMatchObject({ rows: [99] });
});
