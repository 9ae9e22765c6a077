/** @module-tag long */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { adoptLake } from '../../../src/cluster/lake/adoptLake.ts';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { defineStream, int64, optional, text, tokenPages, uint256 } from '../../../src/index.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { streamCluster } from '../worker/streamCluster.ts';

const source = { name: 'data', description: 'A source of tests.', numbers: 'lossless' } as const;

/** A list that is read whole, as a version knows it. */
const streamOf = (more: z.ZodRawShape): Stream =>
  defineStream(source, {
    name: 'things',
    description: 'Things of tests.',
    endpoint: 'GET /things',
    parameters: z.strictObject({}),
    partitions: () => [{ values: {} }],
    schema: z.object({ id: text('Id.'), ...more }),
    key: ['id'],
    way: 'snapshot',
    *pages() {
      yield* tokenPages(() => ({ kind: 'get', path: '/things', weight: 1 }));
    },
    records: 'things',
  } as never) as unknown as Stream;
const before = streamOf({});
const now = streamOf({ rank: optional(int64('Rank.')), sum: optional(uint256('Sum.')) });

const things = [
  { id: 'a', rank: 5, sum: '340282366920938463463374607431768211456', other: 'x' },
  { id: 'b', rank: 'high' },
  { id: 'c' },
];

test('what a version has columns for now moves into them in old rows, which get no second version', async () => {
  const cluster = await streamCluster(before);
  const { control, engine, ledger, stage } = cluster;
  const fetch: WorkerOptions['fetch'] = {
    data: async () => ({ body: { things }, fetchedAt: Date.now(), bytes: 1 }),
  };
  await cluster.run({ fetch });
  const tables = lakeTables([now]);
  const planned = [{ pipeline: 'p', stream: now, parameters: {} }];
  // The first is the same as it was; what the schema does not take of the second is gone.
  await cluster.run({
    planned,
    lake: { engine, tables },
    fetch: {
      data: async () => ({ body: { things: [things[0], things[2], { id: 'b' }] }, fetchedAt: Date.now(), bytes: 1 }),
    },
  });
  for (const table of tables) await engine.ensureTable(table);
  const workbench = await temporaryWarehouse(tablesOf([now]));
  for (const _ of ['once', 'again']) await adoptLake({ workbench, control, engine, ledger, stage, tables }, [now]);
  const rows = await engine.query(
    'SELECT id, rank, sum, _extra, _valid_to IS NULL AS is_current FROM raw.data_things ORDER BY id, is_current',
  );
  expect(rows).toEqual([
    { id: 'a', rank: 5n, sum: null, _extra: '{"other":"x"}', is_current: true },
    { id: 'b', rank: null, sum: null, _extra: '{"rank":"high"}', is_current: false },
    { id: 'b', rank: null, sum: null, _extra: null, is_current: true },
    { id: 'c', rank: null, sum: null, _extra: null, is_current: true },
  ]);
  expect(await control.query('SELECT member FROM firn.schema_change')).toEqual([{ member: 'other' }]);
});
