import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { verifyBatches } from '../../../src/cluster/verify/verifyBatches.ts';
import { freshDatabase } from '../postgres.ts';

const version = { id: 2, snapshots: { 'raw.x': '7' }, publishedAt: '2026-01-01T00:00:00Z' };

/** What is found where the ledger knows batches, and a version holds rows of some. */
async function found(
  known: readonly [id: string, rows: string, isShown: boolean][],
  held: readonly [bigint, bigint][],
  unreadable: readonly string[] = [],
  kept = 'raw.x',
) {
  const control = {
    query: async (sql: string) =>
      (sql.includes('DISTINCT')
        ? [{ name: 'raw.x' }]
        : known.map(([id, rows, is_shown]) => ({ id, rows, is_shown }))) as never,
  };
  const engine = {
    asOf: (name: string, snapshot: string) => `${name}@${snapshot}`,
    query: async (sql: string) => {
      expect(sql).toContain(`${kept}@7`);
      return held.map(([id, count]) => ({ id, held: count }));
    },
  } as unknown as Engine;
  const of = { ...version, snapshots: { [kept]: '7' } };
  return (await verifyBatches(engine, control, of, new Set(unreadable))).map(({ message }) => message);
}

test.each([
  ['all is there', [['1', '5', true]], [[1n, 5n]], []],
  [
    'one came after the last build',
    [
      ['1', '5', true],
      ['2', '3', false],
    ],
    [[1n, 5n]],
    [],
  ],
  ['one that was built is missing', [['1', '5', true]], [], ['0 rows come from batch 1, which has 5']],
  ['rows are there twice', [['1', '5', false]], [[1n, 10n]], ['10 rows come from batch 1, which has 5']],
  ['nobody committed it', [], [[9n, 1n]], ['1 rows come from batch 9, which the ledger does not know']],
] as const)('%s', async (_, known, held, messages) => {
  expect(await found(known as never, held as never)).toEqual(messages);
});

test('of a table whose snapshot is gone nothing is asked again', async () => {
  expect(await found([['1', '5', true]], [], ['raw.x'])).toEqual([]);
});

test('batches of which newer ones replace older ones are looked for where they are kept', async () => {
  expect(await found([['1', '5', true]], [[1n, 4n]], [], 'raw.x_batches')).toEqual([
    '4 rows come from batch 1, which has 5',
  ]);
});

test('a batch of a warehouse that was moved here is missed once its loads are built', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     VALUES (7, 'r', 's', 'p', 1, 1, 1, 0, 1, now());
     INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256) VALUES (8, 'raw.x', 'a', 5, 1, ''), (9, 'raw.x', 'b', 6, 1, '')`,
  );
  const engine = { asOf: () => '', query: async () => [{ id: 9n, held: 6n }] } as unknown as Engine;
  const look = async () => (await verifyBatches(engine, control, version, new Set())).map(({ message }) => message);
  expect(await look()).toEqual([]);
  await control.query(`UPDATE firn.load SET built_at = '2025-12-31'`);
  expect(await look()).toEqual(['0 rows come from batch 8, which has 5']);
});

test.each([3, 7, 100])(
  'of %i batches at a time all are compared, and what nobody committed is found wherever it lies',
  async (atOnce) => {
    const control = await openControl(await freshDatabase());
    onTestFinished(() => control.close());
    await control.query(
      `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at, built_at)
     SELECT n, 'r', 's', 'p', 1, 1, 1, 0, 1, now(), '2025-12-31' FROM generate_series(1, 7) AS n;
     INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256) SELECT n, 'raw.x', n, 5, 1, '' FROM generate_series(1, 7) AS n;
     CREATE TABLE lake AS SELECT n AS firn_batch FROM generate_series(1, 6) AS n, generate_series(1, CASE n WHEN 4 THEN 4 ELSE 5 END);
     INSERT INTO lake VALUES (-3), (NULL), (99)`,
    );
    const answers: number[] = [];
    const engine = {
      asOf: () => 'lake',
      query: async (sql: string) => {
        const rows = await control.query<{ id: string | null; held: string }>(sql);
        answers.push(rows.length);
        return rows.map(({ id, held }) => ({ id, held: BigInt(held) }));
      },
    } as unknown as Engine;
    const failures = await verifyBatches(engine, control, version, new Set(), atOnce);
    const foreign = ['-3', '99', 'null'].map((id) => `1 rows come from batch ${id}, which the ledger does not know`);
    const wrong = ['4 rows come from batch 4, which has 5', '0 rows come from batch 7, which has 5'];
    expect(failures.map(({ message }) => message).sort()).toEqual([...foreign, ...wrong].sort());
    expect(Math.max(...answers)).toBeLessThanOrEqual(atOnce + foreign.length);
  },
);
