import { expect, test } from 'vitest';
import type { Values } from '../../../src/load/database/transaction.ts';
import { inTurn } from '../../../src/run/read/inTurn.ts';
import { ranks } from '../../../src/run/read/openPartition.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

/** A state that holds the summaries of runs, newest first. */
const stateOf = (summaries: readonly object[]) => ({
  query: async (_sql: string, values: Values = []) => {
    const [id] = values as readonly string[];
    return (
      id === undefined
        ? summaries.map((_, i) => ({ run_id: String(i) }))
        : [{ summary: JSON.stringify(summaries[Number(id)]) }]
    ) as never;
  },
});

/** What a partition costs before anything comes of it. */
type Costs = Readonly<Record<string, number>>;

/** Runs of which each may spend `limit`; gives the partitions that came to something, run by run. */
async function runsOf(costs: Costs, limit: number, runs: number): Promise<string[][]> {
  const summaries: object[] = [];
  const reads = Object.keys(costs).map((key) => ({
    stream: 'data/x',
    key,
    rank: key.startsWith('lookup') ? ('late' as const) : ('first' as const),
  }));
  const done: string[][] = [];
  for (let run = 0; run < runs; run++) {
    const order = await inTurn(stateOf(summaries), reads, false, () => 0.5);
    let left = limit;
    const partitions = ranks.flatMap((rank) =>
      order
        .filter((one) => one.rank === rank)
        .map(({ stream, key }) => {
          left -= costs[key] ?? 0;
          return { stream, partition: key, pipeline: 'main', rows: 0, outcome: left >= 0 ? 'done' : 'stopped' };
        }),
    );
    summaries.unshift({ partitions });
    done.push(partitions.filter(({ outcome }) => outcome === 'done').map(({ partition }) => partition));
  }
  return done;
}

test('every partition has its turn, whatever the others cost, and lookups too', async () => {
  const costs = { a: 40, b: 40, c: 40, d: 40, e: 40, f: 90, lookup: 60 };
  const runs = await runsOf(costs, 100, 12);
  for (const key of Object.keys(costs))
    for (const from of [0, 6])
      expect([
        key,
        runs
          .slice(from, from + 6)
          .flat()
          .includes(key),
      ]).toEqual([key, true]);
});

test('one that needs more than a run may spend takes its turn, and no more than that', async () => {
  const runs = await runsOf({ a: 40, greedy: 101, b: 40, lookup: 60 }, 100, 12);
  const times = (key: string) => runs.filter((done) => done.includes(key)).length;
  expect(['a', 'b', 'lookup'].filter((key) => times(key) < 3)).toEqual([]);
});

test('lookups come last where all had their turn', async () => {
  expect(await runsOf({ lookup: 10, a: 10, b: 10 }, 100, 3)).toEqual(Array(3).fill(['a', 'b', 'lookup']));
});

test('a backfill does not count as a turn of what is new', async () => {
  const partition = (key: string) => ({ stream: 'data/x', partition: key, rows: 1, outcome: 'done' });
  const state = stateOf([{ partitions: [partition('a')] }]);
  const reads = ['a', 'b'].map((key) => ({ stream: 'data/x', key, rank: 'first' as const }));
  const orderOf = async (isBackfill: boolean) =>
    (await inTurn(state, reads, isBackfill, () => 0.5)).map(({ key }) => key);
  expect([await orderOf(false), await orderOf(true)]).toEqual([
    ['a', 'b'],
    ['b', 'a'],
  ]);
});

test('the newest turn of each counts, and chance decides between equals', async () => {
  const warehouse = await temporaryWarehouse([]);
  const had = (partition: string, rows: number, outcome: string, code?: string) => {
    return { stream: 'x', partition, pipeline: 'main', rows, outcome, code };
  };
  const run = (day: number, partitions: readonly object[]) =>
    `('${day}', 'run', TIMESTAMP '2026-01-0${day}', NULL, 0, '${JSON.stringify({ partitions })}')`;
  const newest = [had('a', 0, 'done'), had('part', 1, 'stopped'), had('limited', 0, 'failed', 'rate_limited')];
  const before = ['a', 'b', 'told', 'lookup'].map((key) => had(key, 0, 'done'));
  await warehouse.run(`INSERT INTO firn.run VALUES ${run(2, newest)}, ${run(1, before)}`);
  const reads = [
    ...['a', 'b', 'part', 'limited', 'new'].map((key) => ({ key, rank: 'first' as const })),
    { key: 'told', rank: 'told' as const },
    { key: 'lookup', rank: 'late' as const },
  ].map((read) => ({ ...read, stream: 'x' }));
  const chances = [0.1, 0.1, 0, 0.9, 0.8, 0.2, 0.3];
  const order = await inTurn(warehouse, reads, false, () => chances.shift() ?? 0);
  expect(order.map(({ key, rank }) => `${key} ${rank}`)).toEqual([
    'new first',
    'limited first',
    'b first',
    'told told',
    'lookup first',
    'part first',
    'a first',
  ]);
});

test('there may be more partitions than a call takes arguments', async () => {
  const reads = Array.from({ length: 150_000 }, (_, i) => ({ stream: 'data/x', key: `${i}`, rank: 'late' as const }));
  const order = await inTurn(stateOf([]), reads, false, () => 0.5);
  expect(order).toHaveLength(reads.length);
  expect(order.every(({ rank }) => rank === 'late')).toBe(true);
});
