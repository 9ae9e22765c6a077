/** @module-tag long */
import { expect, test } from 'vitest';
import type { Ledger } from '../../../src/cluster/contract.ts';
import { filledTables } from '../../../src/cluster/engine/lakeTable.ts';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { renderingAt, sameIn, takeCut } from '../../../src/cluster/lake/cut.ts';
import { refuseRestored } from '../../../src/cluster/lake/refuseRestored.ts';
import { readProgress } from '../../../src/cluster/ledger/readProgress.ts';
import { renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import { verifyBatches } from '../../../src/cluster/verify/verifyBatches.ts';
import { queryLake } from '../../../src/cluster/worker/queryLake.ts';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { fetchOf, heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';

const planned = (settings: Parameters<typeof partitionOf>[0]) => [
  { pipeline: 'p', stream: { ...heightsStream, partitions: () => [partitionOf(settings)] }, parameters: {} },
];
const inPart = { planned: planned({ part: true }) };
const { name } = heightsStream.table;
const sql = `SELECT height, extra FROM ${name} ORDER BY height`;
type Row = { height: bigint; extra: string | null };
const textOf = (rows: readonly Row[]) => rows.map(({ height, extra }) => `${height}${extra ? '+' : ''}`).join(' ');

/** A cluster that reads a made-up chain; rows with all that there is of them end in a plus. */
async function opened() {
  const { lake, control, ...cluster } = await heightsCluster();
  const rows = async () => textOf(await queryLake<Row>(lake, sql));
  const partFrom = async () => (await readProgress(control)).partitions[0]?.partFrom;
  const again = () => control.query(`SELECT first_position AS first FROM firn.part WHERE beside = 'whole' ORDER BY 1`);
  return { ...cluster, lake, control, rows, partFrom, again };
}

const upTo = (last: number, isWhole: (height: number) => boolean = () => true) =>
  Array.from({ length: last + 1 }, (_, height) => `${height}${isWhole(height) ? '+' : ''}`).join(' ');

test('what was read in part is read again once all of it is wanted, once', async () => {
  const { run, chain, rows, partFrom } = await opened();
  chain.head = 11;
  await run();
  chain.head = 29;
  await run({ planned: planned({ part: true }) });
  expect([await rows(), await partFrom()]).toEqual([upTo(29, (height) => height < 12), 12]);
  await run();
  await run();
  expect([await rows(), await partFrom()]).toEqual([upTo(29, () => true), null]);
  chain.asked.length = 0;
  chain.head = 31;
  await run();
  expect([await rows(), chain.asked.filter((path) => /\d\.\./.test(path))]).toEqual([upTo(31, () => true), ['30..31']]);
});

test('two workers read it, one of which is refused in the middle, and every batch is applied twice: each row is there once', async () => {
  const { run, rows, partFrom, ledger, lake, control } = await opened();
  await run(inPart);
  let commits = 0;
  const late: Ledger['commit'] = async (...given) => (++commits === 2 ? 'fenced' : ledger.commit(...given));
  const both = { ledger: { ...ledger, commit: late } };
  await Promise.all([run({ ...both, owner: 'one' }), run({ ...both, owner: 'two', atOnce: 2 })]);
  // The lease of the one that was refused runs out.
  await control.query(`UPDATE firn.part SET lease_until = '-infinity'`);
  await run();
  expect([await rows(), await partFrom()]).toEqual([upTo(29), null]);
  expect(commits).toBeGreaterThan(2);
  // Killed before they were noted as applied.
  await control.query('UPDATE firn.batch_file SET applied_at = NULL');
  await run();
  expect(await rows()).toEqual(upTo(29));
  expect(await queryLake(lake, `SELECT count(*)::INTEGER AS n FROM ${name}`)).toEqual([{ n: 30 }]);
});

test('nothing is read again before what was read first is in the lake, nor while stretches of it are open', async () => {
  const { run, chain, rows, partFrom, again } = await opened();
  await run({ ...inPart, applyRest: undefined });
  await run({ applyRest: undefined });
  expect([(await again()).length, await partFrom()]).toEqual([3, 0]);
  await run();
  expect([await again(), await rows()]).toEqual([[], upTo(29)]);
  chain.head = 59;
  const fetch = fetchOf(chain);
  const down: typeof fetch = async (request) => {
    if (request.path === '42..45') throw new FirnError('unavailable', 'The source is down.', { retryable: true });
    return fetch(request);
  };
  await run({ ...inPart, fetch: { node: down }, timing: { retry: 3_600_000 } });
  await run({ fetch: { node: down }, timing: { retry: 3_600_000 } });
  expect([await again(), await partFrom()]).toEqual([[], 30]);
  await run();
  await run();
  expect([await rows(), await partFrom()]).toEqual([upTo(59), null]);
});

test('what is not read again as settings change once more stays known as taken in part', async () => {
  const { run, chain, rows, partFrom, again } = await opened();
  await run(inPart);
  const fetch = fetchOf(chain);
  const down: typeof fetch = async (request) => {
    if (request.path === '16..19') throw new FirnError('unavailable', 'The source is down.', { retryable: true });
    return fetch(request);
  };
  await run({ fetch: { node: down }, timing: { retry: 3_600_000 } });
  const isWhole = (height: number) => height < 16 || height > 23;
  expect([await rows(), await partFrom(), await again()]).toEqual([upTo(29, isWhole), 16, [{ first: '12' }]]);
  await run(inPart);
  expect([await rows(), await partFrom(), await again()]).toEqual([upTo(29, isWhole), 16, []]);
  await run();
  expect([await rows(), await partFrom()]).toEqual([upTo(29), null]);
});

test('of a source that holds another chain by now nothing is read again', async () => {
  const { run, chain, rows, partFrom } = await opened();
  await run(inPart);
  chain.name = 'b';
  const told: unknown[] = [];
  await run({ finished: (_, { code }) => told.push(code) });
  expect(told).toContain('source_shrank');
  expect([await rows(), await partFrom()]).toEqual([upTo(29, () => false), 0]);
});

test('a record that cannot be read stays as it was, and takes its place once it can be', async () => {
  const { run, chain, rows, entries } = await opened();
  await run(inPart);
  chain.wrong.add(13);
  await run();
  await run();
  expect([await rows(), await entries()]).toEqual([
    upTo(29, (height) => height !== 13),
    [{ times_seen: '1', is_read: false }],
  ]);
  chain.wrong.clear();
  await run();
  await run();
  expect([await rows(), await entries()]).toEqual([upTo(29), [{ times_seen: '1', is_read: true }]]);
});

test('what a source lacks for good is noted once', async () => {
  const { run, chain, control } = await opened();
  chain.without.add(13).add(14);
  await run({ planned: planned({ part: true, mayHaveGaps: true }) });
  await run({ planned: planned({ mayHaveGaps: true }) });
  await run({ planned: planned({ mayHaveGaps: true }) });
  expect(await control.query('SELECT from_position AS f, to_position AS t FROM firn.gap')).toEqual([
    { f: '13', t: '14' },
  ]);
});

/** A chain whose blocks have other names by now, but for the one by which it is known; and the heights that were read since, by name. */
async function renamed(of: Awaited<ReturnType<typeof opened>>) {
  const { chain, lake } = of;
  const fetch = fetchOf(chain);
  const now: typeof fetch = async (request) => {
    const answered = await fetch(request);
    const { body } = answered;
    return Array.isArray(body) ? { ...answered, body: body.map((block) => ({ ...block, name: 'b' })) } : answered;
  };
  const anew = async () =>
    (await queryLake<Row>(lake, `SELECT height FROM ${name} WHERE name = 'b' ORDER BY height`)).map(({ height }) =>
      Number(height),
    );
  return { anew, asNow: { fetch: { node: now } } };
}
const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const daysAgain = (first: string, last = first) => ({ backfill: { again: { first, last } } });

test('days are read again by all workers, and by whom they were asked for once more', async () => {
  const cluster = await opened();
  const { run, chain, control, ledger } = cluster;
  await run();
  const { anew, asNow } = await renamed(cluster);
  chain.asked.length = 0;
  // Four blocks a day. Nobody applies: what is read again waits for what was read before.
  const told: unknown[] = [];
  const finished: WorkerOptions['finished'] = ({ beside }, { outcome, message }) =>
    beside && told.push([outcome, message]);
  const parts = () =>
    control.query('SELECT first_position AS first, last_position AS last, beside FROM firn.part ORDER BY id');
  await control.query(`UPDATE firn.batch_file SET applied_at = NULL WHERE batch_id = 1`);
  await run({ ...asNow, ...daysAgain('1970-01-02', '1970-01-05'), applyRest: undefined, finished, stretches: 2 });
  expect([await anew(), await parts()]).toEqual([
    [],
    [
      { first: null, last: null, beside: null },
      { first: '4', last: '11', beside: 'days' },
      { first: '12', last: '19', beside: 'days' },
    ],
  ]);
  await run({ ...asNow, ...daysAgain('1970-01-03'), applyRest: undefined, finished });
  await Promise.all([run({ ...asNow, owner: 'two' }), run({ ...asNow, owner: 'three' })]);
  expect(told).toEqual([
    ['done', undefined],
    ['failed', expect.stringContaining('An earlier backfill of it is not over: 2 stretches are not read')],
  ]);
  expect(chain.asked.filter((path) => path.includes('..')).sort()).toEqual(['12..15', '16..19', '4..7', '8..11']);
  expect([await anew(), await cluster.partFrom(), await parts()]).toEqual([
    between(4, 19),
    null,
    [{ first: null, last: null, beside: null }],
  ]);
  expect(await cluster.rows()).toBe(upTo(29));
  expect(await ledger.pendingTables()).toEqual([]);
  // No further than what was read.
  await run({ ...asNow, ...daysAgain('1970-01-07', '1970-02-01') });
  expect(await anew()).toEqual([...between(4, 19), ...between(24, 29)]);
  await run({ ...asNow, ...daysAgain('1970-01-20') });
  expect(await anew()).toHaveLength(22);
});

test('days below the first row, of nothing, or of another chain, are not read again', async () => {
  const cluster = await opened();
  const { run, chain, control } = cluster;
  const { asNow } = await renamed(cluster);
  const told: unknown[] = [];
  const finished: WorkerOptions['finished'] = ({ beside }, { code, message }) => beside && told.push([code, message]);
  const from8 = { planned: planned({ from: 8 }), finished };
  // A source that holds nothing yet is none that fails.
  chain.head = null;
  await run({ ...from8, ...daysAgain('1970-01-03') });
  await run({ ...from8, backfill: { from: '2' } });
  chain.head = 29;
  expect(told.splice(0)).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  await run({ ...from8, ...daysAgain('1970-01-03') });
  await run({ ...from8, ...daysAgain('1970-01-01', '1970-01-02') });
  chain.name = 'c';
  await run({ ...from8, ...asNow, ...daysAgain('1970-01-03') });
  const unread = [
    'usage',
    expect.stringContaining('It has no row in the lake yet. Let firn worker read and apply first'),
  ];
  expect(told).toEqual([
    unread,
    [
      'usage',
      expect.stringContaining('It was read from 1970-01-03 on, so 1970-01-01..1970-01-02 cannot be read again.'),
    ],
    ['source_shrank', expect.stringContaining('no longer holds what was read from it')],
  ]);
  expect(await cluster.again()).toEqual([]);
  expect(await control.query('SELECT 1 FROM firn.part')).toHaveLength(1);
});

test('days that are read again in part are known as such, and read whole once all of it is wanted', async () => {
  const cluster = await opened();
  const { run, rows, partFrom } = cluster;
  await run();
  await run({ ...inPart, ...daysAgain('1970-01-02') });
  expect([await rows(), await partFrom()]).toEqual([upTo(29, (height) => height < 4 || height > 7), 4]);
  await run();
  expect([await rows(), await partFrom()]).toEqual([upTo(29), null]);
});

test('an older firn beside it leaves what was read again, and shows what was there before', async () => {
  const { run, rows, lake, control, ledger } = await opened();
  await run(inPart);
  const older = { ...lake, tables: lake.tables.map(({ again: _, ...table }) => table) };
  await run({ lake: older });
  const ours = textOf(await queryLake<Row>(older, sql));
  expect([ours, await ledger.pendingTables()]).toEqual([upTo(29, () => false), [`${name}_again`]]);
  // No build takes these loads up.
  const [{ newest } = { newest: 0 }] = await control.query<{ newest: number }>(
    'SELECT max(load_id)::integer AS newest FROM firn.load',
  );
  expect(await createBuilds(control).unbuilt()).not.toContain(newest);
  await run();
  expect([await rows(), await ledger.pendingTables()]).toEqual([upTo(29), []]);
});

test('a build reads it once all of a load is applied, its batches are whole, and lake and ledger are of one time', async () => {
  const { run, engine, lake, control, ledger } = await opened();
  await run(inPart);
  const builds = createBuilds(control);
  const tables = filledTables(lake.tables);
  const cutOf = async () => takeCut(engine, builds, tables, await builds.unbuilt());
  const seen = async (cut: Awaited<ReturnType<typeof cutOf>>) => {
    const { table, views } = renderingAt(engine, [], lake.tables, cut);
    return textOf(await engine.query<Row>(renderForTrino(sql, { macros: new Map(), views, table, spellings: [] })));
  };
  const first = await cutOf();
  await run({ stretches: 100 });
  // As a load whose other tables are still to come.
  const loads = await builds.unbuilt();
  const hidden = await takeCut(engine, builds, tables, loads.slice(0, -1));
  const all = await cutOf();
  expect([await seen(first), await seen(hidden), await seen(all)]).toEqual([
    upTo(29, () => false),
    upTo(29, () => false),
    upTo(29),
  ]);
  expect([sameIn(lake.tables, first, all)(name), sameIn(lake.tables, all, all)(name)]).toEqual([false, true]);
  const version = await ledger.publish(all.snapshots);
  expect(await verifyBatches(engine, control, version, new Set())).toEqual([]);
  await refuseRestored(engine, control, 'lake');
});
