/** @module-tag long */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { againName, keptName } from '../../../src/cluster/engine/lakeTable.ts';
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

test('old rows are looked at some at a time, also of what was read again, and their members struck once none wait', async () => {
  const { control, engine, ledger, stage } = await streamCluster(now);
  const workbench = await temporaryWarehouse(tablesOf([now]));
  const { name, columns } = now.table;
  const again = { name: againName(name), columns, replacedBy: ['id'] };
  const tables = [{ name, columns, again }];
  await control.query(
    `INSERT INTO firn.schema_change (stream, member, example, load_id, seen_at) VALUES ('data/things', 'rank', '', 1, now())`,
  );
  const calls: string[] = [];
  const noting = {
    ...engine,
    drop: (table: string) => engine.drop(table).then(() => void calls.push('drop')),
    replace: (...given: Parameters<typeof engine.replace>) =>
      engine.replace(...given).then(() => void calls.push('fill')),
  };
  const adopt = (waiting: readonly string[]) => {
    const known = { ...ledger, pendingTables: async () => [...waiting] };
    return adoptLake({ workbench, control, engine: noting, ledger: known, stage, tables }, [now], 2);
  };
  const members = () => control.query('SELECT member FROM firn.schema_change');
  // Before any of it was applied there is no table.
  await adopt([name]);
  expect(await members()).toHaveLength(1);
  for (const table of [...tables, again]) {
    await engine.ensureTable(table);
    await engine.run(
      `INSERT INTO ${keptName(table)} BY NAME SELECT 'k' || n AS id, '{"rank":' || n || '}' AS _extra, 1 + n // 3 AS firn_batch, n % 3 AS firn_row FROM range(5) AS r (n)`,
    );
  }
  await adopt([again.name]);
  for (const table of [...tables, again])
    expect(await engine.query(`SELECT rank, _extra FROM ${keptName(table)} ORDER BY id`)).toEqual(
      [0n, 1n, 2n, 3n, 4n].map((rank) => ({ rank, _extra: null })),
    );
  // What a killed call left may have other columns.
  expect(calls).toEqual(Array.from({ length: 6 }, () => ['drop', 'fill', 'drop']).flat());
  expect(await members()).toHaveLength(1);
  await adopt([]);
  expect(await members()).toEqual([]);
});
