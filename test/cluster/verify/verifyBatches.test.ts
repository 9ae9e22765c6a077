import { expect, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { verifyBatches } from '../../../src/cluster/verify/verifyBatches.ts';

const version = { id: 2, snapshots: { 'raw.x': '7' }, publishedAt: '2026-01-01T00:00:00Z' };

/** What is found where the ledger knows batches, and a version holds rows of some. */
async function found(
  known: readonly [id: string, rows: string, isShown: boolean][],
  held: readonly [bigint, bigint][],
  unreadable: readonly string[] = [],
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
      expect(sql).toContain('raw.x@7');
      return held.map(([id, count]) => ({ id, held: count }));
    },
  } as unknown as Engine;
  return (await verifyBatches(engine, control, version, new Set(unreadable))).map(({ message }) => message);
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
