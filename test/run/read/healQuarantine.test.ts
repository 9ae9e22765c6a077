import { expect, test, vi } from 'vitest';
import { type RangeStream, tablesOf } from '../../../src/core/stream/stream.ts';
import type { ReadContext } from '../../../src/run/read/partitionContext.ts';
import { readRange } from '../../../src/run/read/readRange.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { createChain, fetchOf, heightsStream, partitionOf } from './heightsStream.ts';
import { readContext } from './readContext.ts';

async function begin(head: number, stream: RangeStream = heightsStream, more: Partial<ReadContext> = {}) {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const chain = createChain(head);
  let runs = 0;
  const read = () => {
    const context = readContext(warehouse, stream, partitionOf(), fetchOf(chain), { runId: `run ${runs++}`, ...more });
    return readRange(stream, context);
  };
  const open = async () => {
    const [row] = await warehouse.query<{ n: bigint }>(
      'SELECT count(*) AS n FROM firn.quarantine WHERE replayed_at IS NULL',
    );
    return Number(row?.n);
  };
  return { warehouse, chain, read, open };
}

test('a hundred records that stay bad do not keep another from being asked for again', async () => {
  const { chain, read, open } = await begin(220);
  for (let i = 0; i < 100; i++) chain.wrong.add(2 * i);
  chain.wrong.add(210);
  await read();
  expect(await open()).toBe(101);
  chain.wrong.delete(210);
  // Of 101 one is left out each time.
  for (let run = 0; run < 5; run++) await read();
  expect(await open()).toBe(100);
});

test('what was accepted is not asked for', async () => {
  const { warehouse, chain, read, open } = await begin(9);
  chain.wrong.add(3).add(5);
  await read();
  await warehouse.run(
    "UPDATE firn.quarantine SET accepted_at = now()::TIMESTAMP WHERE json_extract_string(record, '$.height') = '3'",
  );
  chain.wrong.clear();
  await read();
  expect(await open()).toBe(1);
  expect(await warehouse.query('SELECT height FROM raw.node_heights WHERE height IN (3, 5)')).toEqual([{ height: 5n }]);
});

test('what a stream puts right and computes in its rows is so in a record that is asked for again', async () => {
  const enrichment = { child: 'parts', column: 'sender', from: 'raw', by: 'senders' } as const;
  const [enrich, amend] = [vi.fn(async () => {}), vi.fn()];
  const { chain, read, open } = await begin(9, { ...heightsStream, enrichment, amend }, { enrich });
  chain.wrong.add(3);
  await read();
  chain.wrong.clear();
  enrich.mockClear();
  amend.mockClear();
  await read();
  expect([await open(), enrich.mock.calls.length, amend.mock.calls.length]).toEqual([0, 1, 1]);
});

test('another position than was asked for does not take its place', async () => {
  let instead = 3;
  const { warehouse, chain, read, open } = await begin(9, {
    ...heightsStream,
    read: (partition, from, to, state) => {
      const isAlone = from === 3 && to === 3;
      return heightsStream.read(partition, isAlone ? instead : from, isAlone ? instead : to, state);
    },
  });
  chain.wrong.add(3);
  await read();
  chain.wrong.clear();
  // The second one is not beside its neighbours, so that no link is broken.
  for (const other of [2, 7]) {
    instead = other;
    await read();
    expect(await open()).toBe(1);
  }
  instead = 3;
  await read();
  expect(await open()).toBe(0);
  expect(await warehouse.query('SELECT count(*)::INTEGER AS n FROM raw.node_heights')).toEqual([{ n: 10 }]);
});

test.each([
  [1, 0],
  [2, 1],
])('what does not agree %i times is asked for again, and stays the second time', async (times, left) => {
  let refusals = 0;
  const { chain, read, open } = await begin(9, { ...heightsStream, agree: () => refusals-- <= 0 });
  chain.wrong.add(3);
  await read();
  chain.wrong.clear();
  refusals = times;
  await read();
  expect(await open()).toBe(left);
  refusals = 0;
  await read();
  expect(await open()).toBe(0);
});
