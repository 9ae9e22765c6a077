import { DuckDBConnection } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Row, Value } from '../../../src/core/columns/columnType.ts';
import type { Column, Table } from '../../../src/core/columns/table.ts';
import { emptyPage } from '../../../src/core/parse/parseRecords.ts';
import { type Child, type SnapshotStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { createSnapshotStage } from '../../../src/load/commit/snapshotStage.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

const dayMs = 86_400_000;
const partition = { values: { only: 'one' } };

/** The n-th value of a column's type; all of them different. */
function cellOf({ type }: Column, n: number): Value {
  switch (type) {
    case 'varchars':
      return [`v${n}`];
    case 'boolean':
      return n % 2 === 0;
    case 'double':
      return n + 0.5;
    case 'timestamp':
      return (1_700_000_000 + n) * 1_000_000;
    case 'blob':
      return Uint8Array.of(n);
    case 'varchar':
    case 'json':
      return `v${n}`;
    default:
      return BigInt(n);
  }
}

/** A row of a table: `changed` columns have their next value. */
const rowOf = ({ columns }: Table, changed: readonly string[], of: number): Row =>
  Object.fromEntries(
    columns
      .filter(({ name }) => !name.startsWith('_'))
      .map((column) => [column.name, cellOf(column, changed.includes(column.name) ? 1 : 2 * of)]),
  );

type Children = Readonly<Record<string, readonly Row[]>>;

function pageOf(stream: SnapshotStream, rows: readonly Row[], children: Children = {}) {
  const page = emptyPage(stream, partition);
  for (const row of rows) page.set.own.append(row);
  for (const [name, of] of Object.entries(children)) for (const row of of) page.set.rowsOf(name).append(row);
  return page;
}

/** Reads one snapshot of a stream. */
async function read(
  warehouse: Warehouse,
  stream: SnapshotStream,
  rows: readonly Row[],
  fetchedAt: number,
  children?: Children,
) {
  const stage = await createSnapshotStage(warehouse, stream, partition);
  await stage.add(pageOf(stream, rows, children));
  const [last] = await warehouse.query<{ position: string }>('SELECT "position" FROM firn.checkpoint');
  const batch = { quarantined: [], unknown: [], records: rows.length, pages: 1, bytes: 1, request: '', fetchedAt };
  const from = last ? JSON.parse(last.position) : null;
  const to = { readAt: fetchedAt };
  const written = await stage.apply({ stream, partition, runId: 'test', batch, from, to });
  await stage.drop();
  return written.rows + written.childRows;
}

const snapshots = catalogue.filter((stream): stream is SnapshotStream => stream.way === 'snapshot');
const moving = snapshots.flatMap((stream) =>
  stream.table.volatile ? [[stream.id, stream, stream.table.volatile] as const] : [],
);

test('streams whose columns change from look to look say so', () => {
  expect(moving.map(([id]) => id).sort()).toEqual([
    'data/pending_rewards',
    'data/validator_cycles',
    'data/validator_details',
    'data/validators',
    'node/l1_validators',
    'node/platform_supply',
    'node/platform_validators',
  ]);
});

test.each(moving)(
  '%s: a change in volatile columns alone makes no version, and its course is kept once a day',
  { tags: 'long' },
  async (_, stream, { columns, daily }) => {
    const warehouse = await temporaryWarehouse(tablesOf([stream]));
    const names = columns.map(({ name }) => name);
    const lasting = stream.table.columns.find(
      ({ name }) => !name.startsWith('_') && !names.includes(name) && !stream.table.key.includes(name),
    );
    const begin = Date.UTC(2026, 1, 3, 20);
    const other = rowOf(stream.table, [], 7);
    const still = [rowOf(stream.table, [], 0), other];
    const moved = [rowOf(stream.table, names, 0), other];
    const changed = [rowOf(stream.table, [...names, lasting?.name ?? ''], 0), other];
    const versions = async () =>
      (await warehouse.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${stream.table.name}`))[0]?.n;
    const current = `${stream.table.key.map((name) => `"${name}" = (SELECT min("${name}") FROM ${stream.table.name})`).join(' AND ')} AND _valid_to IS NULL`;
    const seen = async (from: string, where: string) =>
      (
        await warehouse.query<Record<string, unknown>>(
          `SELECT ${names.map((name) => `"${name}"`).join(', ')} FROM ${from} WHERE ${where}`,
        )
      ).map((row) => Object.values(row).map(String));

    expect(await read(warehouse, stream, still, begin)).toBe(2);
    const [first] = await seen(stream.table.name, current);
    expect(await read(warehouse, stream, still, begin + 1000)).toBe(0);
    expect(await read(warehouse, stream, moved, begin + 2000)).toBe(1);
    expect(await versions()).toBe(2n);
    const [freshest] = await seen(stream.table.name, current);
    expect(freshest).not.toEqual(first);
    expect(freshest?.filter((value, i) => value === first?.[i])).toEqual([]);
    // The values of a new day are news for readers, also where they are those of the day before.
    expect(await read(warehouse, stream, moved, begin + dayMs - 1000)).toBe(2);
    expect(await read(warehouse, stream, moved, begin + dayMs - 500)).toBe(0);
    await read(warehouse, stream, still, begin + dayMs);
    expect(await seen(stream.table.name, current)).toEqual([first]);
    expect(await versions()).toBe(2n);

    // The last values of each day, in both of them.
    const days = await warehouse.query<{ day: string; n: bigint }>(
      `SELECT "day"::VARCHAR AS "day", count(*) AS n FROM ${daily.name} GROUP BY ALL ORDER BY 1`,
    );
    expect(days).toEqual([
      { day: '2026-02-03 00:00:00', n: 2n },
      { day: '2026-02-04 00:00:00', n: 2n },
    ]);
    const own = stream.table.key.map((name) => `"${name}" = (SELECT min("${name}") FROM ${daily.name})`).join(' AND ');
    expect(await seen(daily.name, `${own} AND "day" < TIMESTAMP '2026-02-04'`)).toEqual([freshest]);
    expect(await seen(daily.name, `${own} AND "day" >= TIMESTAMP '2026-02-04'`)).toEqual([first]);

    if (!lasting) return;
    // A change in a lasting column still makes a version; the one before keeps the volatile values seen last.
    await read(warehouse, stream, changed, begin + dayMs + 1000);
    expect(await versions()).toBe(3n);
    expect(await seen(stream.table.name, '_valid_to IS NOT NULL')).toEqual([first]);
    expect(await seen(stream.table.name, current)).toEqual([freshest]);
    expect(await read(warehouse, stream, [other], begin + dayMs + 2000)).toBe(1);
  },
);

const plain = snapshots.find(({ id }) => id === 'data/chains') as SnapshotStream;

test.each([
  [4, 1, true],
  [4, 2, false],
  [3, 1, true],
  [0, 0, false],
])('of %i rows, %i that are left mean that it shrinks: %s', async (before, now, shrinks) => {
  const warehouse = await temporaryWarehouse(tablesOf([plain]));
  const rows = (count: number) => Array.from({ length: count }, (_, i) => rowOf(plain.table, [], i));
  await read(warehouse, plain, rows(before), Date.UTC(2026, 1, 3));
  const stage = await createSnapshotStage(warehouse, plain, partition);
  await stage.add(pageOf(plain, rows(now)));
  expect(await stage.shrinks()).toBe(shrinks);
});

test('a list that names as many rows, with fewer than half of their children, lacks some and shrinks', async () => {
  const stream = snapshots.find(({ id }) => id === 'node/platform_validators') as SnapshotStream;
  const [[name, child]] = Object.entries(stream.children) as [[string, Child]];
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const rows = (count: number) => Array.from({ length: count }, (_, i) => rowOf(child.table, [], i));
  await read(warehouse, stream, [rowOf(stream.table, [], 0)], Date.UTC(2026, 1, 3), { [name]: rows(3) });
  const stage = await createSnapshotStage(warehouse, stream, partition);
  await stage.add(pageOf(stream, [rowOf(stream.table, [], 0)], { [name]: rows(1) }));
  expect([await stage.lacks(), await stage.shrinks()]).toEqual([true, true]);
});

test('where the clock was set back no row ends before it began, and the next one begins with its end', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([plain]));
  const lasting = plain.table.columns.filter(({ name }) => !plain.table.key.includes(name)).map(({ name }) => name);
  const at = Date.UTC(2026, 1, 3);
  const changes = [[], lasting, [], lasting];
  for (const [i, moment] of [at - 500, at - 300, at, at - 1000].entries())
    await read(warehouse, plain, [rowOf(plain.table, changes[i] ?? [], 0)], moment);
  const spans = await warehouse.query(
    `SELECT epoch_ms(_valid_from) AS "from", epoch_ms(_valid_to) AS "to" FROM ${plain.table.name} ORDER BY _load_id`,
  );
  expect(spans).toEqual([
    { from: BigInt(at - 500), to: BigInt(at - 300) },
    { from: BigInt(at - 300), to: BigInt(at) },
    { from: BigInt(at), to: BigInt(at) },
    { from: BigInt(at), to: null },
  ]);
});

test('a row that was gone and is back begins when it is seen again', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([plain]));
  const other = rowOf(plain.table, [], 1);
  for (const [i, rows] of [[rowOf(plain.table, [], 0), other], [other], [rowOf(plain.table, [], 0), other]].entries())
    await read(warehouse, plain, rows, dayMs + i);
  const spans = await warehouse.query(
    `SELECT epoch_ms(_valid_from) AS "from", epoch_ms(_valid_to) AS "to" FROM ${plain.table.name} ORDER BY ALL`,
  );
  expect(spans.map(({ from, to }) => [Number(from) - dayMs, to && Number(to) - dayMs])).toEqual([
    [0, 1],
    [0, null],
    [2, null],
  ]);
});

test('the loads of all partitions are looked through once to know whose rows are, and for what a load must know', async () => {
  const [[, stream] = []] = moving;
  if (!stream) throw new Error('no such stream');
  const warehouse = await temporaryWarehouse([...tablesOf([stream])]);
  const rows = [rowOf(stream.table, [], 1)];
  await read(warehouse, stream, rows, dayMs);
  const run = vi.spyOn(DuckDBConnection.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  expect(await read(warehouse, stream, rows, dayMs)).toBe(0);
  const looks = run.mock.calls.flatMap(([sql]) => String(sql).match(/FROM firn\.load\b/g) ?? []);
  expect(looks).toHaveLength(3);
});
