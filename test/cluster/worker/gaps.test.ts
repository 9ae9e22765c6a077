/** @module-tag long */
import { expect, test } from 'vitest';
import type { Ledger } from '../../../src/cluster/contract.ts';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readRange } from '../../../src/run/read/readRange.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { fetchOf, heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { readContext } from '../../run/read/readContext.ts';
import { heightsCluster } from './heightsCluster.ts';

const planned = (settings: Parameters<typeof partitionOf>[0]) => [
  { pipeline: 'p', stream: { ...heightsStream, partitions: () => [partitionOf(settings)] }, parameters: {} },
];
const settings = { mayHaveGaps: true, from: 5 };
const sql =
  'SELECT from_position::INTEGER AS f, to_position::INTEGER AS t FROM firn.gap ORDER BY from_position, to_position';

test('what a source lacks for good is known as on one machine, also below where it begins, and between stretches', async () => {
  const { run, chain, control, heights, ledger } = await heightsCluster();
  for (const height of [7, 8, 17, 18]) chain.without.add(height);
  // Two that do not follow what lies before them: within a stretch, and as the first of one.
  chain.foreign.add(11).add(13);
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  await readRange(heightsStream, readContext(warehouse, heightsStream, partitionOf(settings), fetchOf(chain)));
  const known = await warehouse.query(sql);
  expect(known).toEqual([
    { f: 0, t: 4 },
    { f: 7, t: 8 },
    { f: 11, t: 10 },
    { f: 13, t: 12 },
    { f: 17, t: 18 },
  ]);
  const own = { planned: planned(settings), stretches: 1 };
  // Killed between the two steps of its first look.
  const divide: Ledger['divide'] = async () => {
    throw new Error('killed');
  };
  await run({ ...own, ledger: { ...ledger, divide } });
  expect(await control.query(sql)).toEqual([{ f: 0, t: 4 }]);
  await control.query(`UPDATE firn.part SET lease_until = '-infinity'`);
  await run({ ...own, atOnce: 3 });
  expect(await control.query(sql)).toEqual(known);
  expect((await heights()).length).toBe(21);
  expect((await ledger.standsAt({ stream: heightsStream.id, partition: 'all' })).cursor).toEqual({ next: 30 });
});

test('what was missing and is read after all is forgotten, and no more than that', async () => {
  const { run, control } = await heightsCluster();
  await run({ planned: planned({ mayHaveGaps: true, from: 20 }) });
  expect(await control.query(sql)).toEqual([{ f: 0, t: 19 }]);
  await run({ planned: planned({ mayHaveGaps: true, from: 20 }), backfill: { from: '9' } });
  await run({ planned: planned({ mayHaveGaps: true, from: 20 }) });
  expect(await control.query(sql)).toEqual([{ f: 0, t: 8 }]);
});

test.each([
  ['first position of a stretch', 12, '12..15'],
  ['position within one', 13, '13..16'],
])('a %s that the source lacks is told each time, and makes no load', async (_, height, asked) => {
  const { run, chain, control } = await heightsCluster();
  chain.without.add(height);
  await run();
  const loads = () => control.query('SELECT load_id FROM firn.load ORDER BY 1');
  const before = await loads();
  const told: unknown[] = [];
  const finished: WorkerOptions['finished'] = (_, { code, message }) => code && told.push([code, message]);
  for (const _ of ['again', 'once more']) await run({ finished });
  const hole = ['contract', expect.stringContaining(`the answer for ${asked} has a hole at height ${height}`)];
  expect(told).toEqual([hole, hole]);
  expect(await loads()).toEqual(before);
});
