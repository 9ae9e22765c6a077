import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { refuseRestored } from '../../../src/cluster/lake/refuseRestored.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { readProgress } from '../../../src/cluster/ledger/readProgress.ts';
import { verifyBatches } from '../../../src/cluster/verify/verifyBatches.ts';
import { freshDatabase } from '../postgres.ts';

/** Loads of a ledger that is old, one a minute, of ten partitions in turns, each with a row of two tables. They fill 700 blocks, their files 1,500. */
const loads = 50_000;
const tables = ['raw.one', 'raw.two'];
const of = (partition: number) => ({ stream: 's', partition: String(partition) });
/** What came last waits, and no build shows it. */
const waiting = 20;

let control: Control;
beforeAll(async () => {
  control = await openControl(await freshDatabase());
  await control.query(
    `INSERT INTO firn.partition (stream, partition) SELECT 's', n::text FROM generate_series(0, 10) AS n;
     INSERT INTO firn.part (stream, partition) SELECT stream, partition FROM firn.partition;
     INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, position_to, committed_at, built_at)
     SELECT n, 'r', 's', n % 10, 1, 1, 1, 0, 1, n, TIMESTAMP '2026-01-01' + n * interval '1 minute', now() FROM generate_series(1, ${loads}) AS n;
     INSERT INTO firn.batch_file (table_name, batch_id, uri, rows, bytes, sha256, applied_at)
     SELECT t, n, t || n, 1, 1, '', now() FROM generate_series(1, ${loads}) AS n, unnest(ARRAY['${tables.join("', '")}']) AS t`,
  );
  await control.query('VACUUM ANALYZE');
  await control.query(`UPDATE firn.batch_file SET applied_at = NULL WHERE batch_id > ${loads - waiting}`);
  await control.query(`UPDATE firn.load SET built_at = NULL WHERE load_id > ${loads - waiting}`);
});
afterAll(() => control.close());

/** The most blocks of tables and indexes that one of the statements of some work looks at. */
async function blocksOf(work: (control: Control) => Promise<unknown>): Promise<number> {
  let most = 0;
  const query: Control['query'] = async (text, values) => {
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
    const [said] = await control.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(explain, values);
    const plan = said?.['QUERY PLAN'][0].Plan as Plan;
    most = Math.max(most, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    return control.query(text, values);
  };
  await work({ ...control, query });
  return most;
}

type Plan = Readonly<Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>>;

/** A lake that holds what the ledger notes as applied. */
const engine = {
  name: (name: string) => name,
  async query(sql: string) {
    if (sql.includes('information_schema')) return tables.map((relation) => ({ relation }));
    const held = Array.from({ length: 60 }, (_, i) => String(loads - waiting - i));
    return tables.flatMap((relation) => held.map((batch) => ({ relation, batch })));
  },
} as unknown as Engine;

const lookForMore = async (open: Control) =>
  (await openLedger(open)).lease({ owner: 'one', ms: 1, partitions: [of(1)] });

test.each<[string, number, (control: Control) => Promise<unknown>]>([
  ['a look for what workers may read', 100, lookForMore],
  ['whether a partition was read', 100, async (open) => (await openLedger(open)).wasRead(of(10))],
  ['the newest load of a partition', 100, async (open) => (await openLedger(open)).newestLoad(of(10))],
  ['how far all are', 300, readProgress],
  ['what a build leaves out', 300, (open) => createBuilds(open).unbuiltBeside([])],
  ['whether ledger and lake are of one time', 1000, (open) => refuseRestored(engine, open, 'lake')],
])('%s is known without a look at everything that was ever read', { tags: 'long' }, async (_, blocks, work) => {
  expect(await blocksOf(work)).toBeLessThan(blocks);
});

test('what stretches wait for is looked for once, not for each of them', { tags: 'long' }, async () => {
  await control.query(
    `INSERT INTO firn.part (stream, partition, first_position, last_position, beside, after_batch)
     SELECT 's', '1', n, n, 'whole', ${loads} FROM generate_series(1, 2000) AS n`,
  );
  expect(await blocksOf(lookForMore)).toBeLessThan(1000);
});

test('each batch is looked up once to be verified', { tags: 'long' }, async () => {
  const version = { id: 1, snapshots: {}, publishedAt: '2020-01-01' };
  expect(await blocksOf((open) => verifyBatches(engine, open, version, new Set()))).toBeLessThan(5 * loads);
});

test('files that were applied are not looked at for each load that a build takes up, and leave the index of those that wait', {
  tags: 'long',
}, async () => {
  for (const at of ['NULL', 'now()'])
    await control.query(`UPDATE firn.batch_file SET applied_at = ${at} WHERE batch_id > ${loads - 20_000}`);
  expect(await blocksOf((open) => createBuilds(open).unbuilt())).toBeLessThan(3000);
  await control.query('VACUUM firn.batch_file');
  const entries = `SELECT reltuples FROM pg_class WHERE oid = 'firn.batch_file_pending'::regclass`;
  expect(await control.query(entries)).toEqual([{ reltuples: 0 }]);
});
