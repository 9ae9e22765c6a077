import { expect, test } from 'vitest';
import type { Engine, LakeTable, StagedBatch } from '../../../src/cluster/contract.ts';
import { applyPending } from '../../../src/cluster/engine/applyPending.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { FirnError } from '../../../src/core/firnError.ts';

const MiB = 1024 * 1024;
const file = (table: string, id: number, bytes = MiB): StagedBatch => ({
  id,
  table,
  uri: `s3://b/${id}`,
  rows: 10,
  bytes,
  sha256: '',
});
/** A ledger in memory, and an engine that keeps what it was given. */
function played(batches: readonly StagedBatch[], { busy = [] as string[], failAt = Number.POSITIVE_INFINITY } = {}) {
  const left = [...batches];
  const names = [...new Set(left.map(({ table }) => table))].filter((name) => name !== 'raw.unknown');
  const tables: readonly LakeTable[] = names.map((name) => ({ name, columns: [] }));
  const commits: number[][] = [];
  const ledger = {
    pendingTables: async () => [...new Set(left.map(({ table }) => table))],
    pending: async (table: string, limit: number) => left.filter((batch) => batch.table === table).slice(0, limit),
    applied: async (table: string, ids: readonly number[]) => {
      for (const id of ids)
        left.splice(
          left.findIndex((batch) => batch.table === table && batch.id === id),
          1,
        );
    },
    alone: async <T>(name: string, work: (assertHeld: () => Promise<void>) => Promise<T>) =>
      busy.includes(name) ? undefined : work(async () => {}),
  };
  const engine = {
    name: (relation: string) => relation,
    ensureTable: async () => {},
    apply: async (_: string, applied: readonly StagedBatch[]) => {
      if (commits.length === failAt) throw new Error('the engine is gone');
      commits.push(applied.map(({ id }) => id));
      return { inserted: applied.length * 10 };
    },
  } as unknown as Engine;
  return { ledger, engine, tables, commits, left };
}

test('many batches make one commit, as long as they are small', async () => {
  const batches = [
    file('raw.a', 1),
    file('raw.a', 2, 127 * MiB),
    file('raw.a', 3),
    file('raw.a', 4, 500 * MiB),
    file('raw.b', 5),
  ];
  const { ledger, engine, tables, commits, left } = played(batches);
  expect(await applyPending({ engine, ledger, tables })).toEqual(
    new Map([
      ['raw.a', 40],
      ['raw.b', 10],
    ]),
  );
  // Tables go side by side, the batches of each in their order.
  expect(commits.filter(([id]) => id !== 5)).toEqual([[1, 2], [3], [4]]);
  expect(commits).toContainEqual([5]);
  expect(left).toEqual([]);
});

test('an engine that refuses its tables in the middle of a backlog, as another control database answers, is given no more', async () => {
  const { ledger, engine, tables, commits } = played([file('raw.a', 1, 127 * MiB), file('raw.a', 2, 127 * MiB)]);
  const ensureTable = async () => {
    if (commits.length > 0) throw new FirnError('config', 'The lake is newer.');
  };
  await expect(applyPending({ engine: { ...engine, ensureTable }, ledger, tables })).rejects.toThrow(
    'The lake is newer.',
  );
  expect(commits).toEqual([[1]]);
});

test('what another process applies is left to it, and an unknown table to a newer version, of which is told', async () => {
  const { ledger, engine, tables, commits } = played([file('raw.a', 1), file('raw.unknown', 2), file('raw.b', 3)], {
    busy: ['apply raw.a'],
  });
  const told: string[] = [];
  await applyPending({ engine, ledger, tables, warn: (sentence) => told.push(sentence) });
  expect(commits).toEqual([[3]]);
  expect(told).toEqual([
    expect.stringMatching(/^Files of raw\.unknown wait to be applied, and no stream fills it here/),
  ]);
});

test('a file with a column that the table does not have here waits for a firn that knows it, and keeps nothing else waiting', async () => {
  const known = { ...file('raw.a', 3), columns: [] };
  const { ledger, engine, tables, commits, left } = played([
    file('raw.a', 1),
    { ...file('raw.a', 2), columns: ['added'] },
    known,
    file('raw.b', 4),
  ]);
  await expect(applyPending({ engine, ledger, tables })).rejects.toMatchObject({
    code: 'newer_warehouse',
    message: expect.stringContaining('s3://b/2 has the column added, which raw.a does not have here'),
  });
  expect(commits).toContainEqual([1, 3]);
  expect(commits).toContainEqual([4]);
  expect(left.map(({ id }) => id)).toEqual([2]);
  const columns = [ownColumn('added', 'varchar')];
  await applyPending({ engine, ledger, tables: [{ name: 'raw.a', columns }] });
  expect(left).toEqual([]);
});

test('a file that is gone or was cut is not taken for applied; one that was applied before is', async () => {
  const { ledger, engine, tables, left } = played([file('raw.a', 1), file('raw.a', 2)]);
  const held = [{ batch: 1n, held: 10n }];
  const forgetful = { ...engine, apply: async () => ({ inserted: 0 }), query: async () => held } as unknown as Engine;
  await expect(applyPending({ engine: forgetful, ledger, tables })).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringMatching(/s3:\/\/b\/2 holds 10 rows by the ledger, and 0 of them .* firn verify tells which/),
  });
  expect(left).toHaveLength(2);
  held.push({ batch: 2n, held: 10n });
  expect(await applyPending({ engine: forgetful, ledger, tables })).toEqual(new Map([['raw.a', 0]]));
  expect(left).toEqual([]);
});

test('what was not applied stays pending', async () => {
  const { ledger, engine, tables, left } = played([file('raw.a', 1, 128 * MiB), file('raw.a', 2)], { failAt: 1 });
  await expect(applyPending({ engine, ledger, tables })).rejects.toThrow('the engine is gone');
  expect(left.map(({ id }) => id)).toEqual([2]);
});

test.each([
  ['contract', undefined],
  ['failed', undefined],
  ['unavailable', 'ICEBERG_COMMIT_ERROR'],
] as const)('a table that is in trouble (%s) keeps no other one waiting', async (code, errorName) => {
  const names = ['raw.a', 'raw.b', 'raw.c', 'raw.d', 'raw.e', 'raw.f'];
  const { ledger, engine, tables, left } = played(names.map((name, i) => file(name, i)));
  const apply = async (name: string, batches: readonly StagedBatch[]) => {
    if (name === 'raw.a') throw new FirnError(code, 's3://b/0 is gone', { context: { errorName } });
    return engine.apply(name, batches);
  };
  await expect(applyPending({ engine: { ...engine, apply }, ledger, tables })).rejects.toMatchObject({ code });
  expect(left.map(({ table }) => table)).toEqual(['raw.a']);
});

test('an engine that does not answer is not asked for each table', async () => {
  const { ledger, engine, tables } = played(Array.from({ length: 9 }, (_, i) => file(`raw.t${i}`, i)));
  let asked = 0;
  const apply = async () => {
    asked += 1;
    throw new FirnError('unavailable', 'nobody is there');
  };
  await expect(applyPending({ engine: { ...engine, apply }, ledger, tables })).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(asked).toBeLessThan(4);
});
