import { expect, test } from 'vitest';
import type { LakeTable } from '../../../src/cluster/contract.ts';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { outcomeUnknown } from '../../../src/cluster/trino/statementError.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { FirnError } from '../../../src/core/firnError.ts';

const columns = [ownColumn('k', 'bigint')];
const parent: LakeTable = { name: 'raw.parent', columns, replacedBy: ['k'] };
const child = (name: string): LakeTable => ({ name, columns, replacedBy: ['k'], parent });
const kept = ['k', 'firn_batch', 'firn_row'];

/** A Trino that holds columns of relations, refuses or loses what `fails` says, and notes what it was sent. */
function engineOver(
  held: Readonly<Record<string, readonly string[]>>,
  fails: (sql: string) => Error | undefined = () => undefined,
  stageRoot = 's3://b/',
) {
  const sent: string[] = [];
  const client = {
    async run(sql: string) {
      sent.push(sql);
      const failure = fails(sql);
      if (failure) throw failure;
      const isAsked = sql.includes('information_schema.columns');
      const rows = Object.entries(held).flatMap(([relation, names]) =>
        names.map((column_name) => ({ relation, column_name })),
      );
      return { query: 'q', rows: isAsked ? rows : [], types: {}, written: 1 };
    },
  } as unknown as TrinoClient;
  const engine = createTrinoEngine({ client, schema: 'own', stageCatalog: 'stage', stageRoot });
  const changes = () =>
    sent
      .filter((sql) => /^(CREATE (OR REPLACE )?(TABLE|VIEW)|ALTER|MERGE)/.test(sql))
      .map((sql) => sql.split(/ \(| AS | WITH|\n/)[0]);
  return { engine, sent, changes };
}

test('tables that are there with their columns cost one question, however many', async () => {
  const names = ['parent', 'one', 'two'];
  const held = Object.fromEntries(
    names.flatMap((name) => [
      [name, kept],
      [`${name}_batches`, kept],
    ]),
  );
  const { engine, sent } = engineOver(held);
  await Promise.all([child('raw.one'), child('raw.two')].map((table) => engine.ensureTable(table)));
  await engine.ensureTable(child('raw.one'));
  expect(sent.map((sql) => sql.split(' ')[0])).toEqual(['CREATE', 'SELECT']);
});

test('children that are checked at once make their parent once', async () => {
  const { engine, changes } = engineOver({});
  await Promise.all(['raw.one', 'raw.two', 'raw.three'].map((name) => engine.ensureTable(child(name))));
  const made = changes();
  expect(made.filter((sql) => sql?.includes('own_raw.parent_batches'))).toEqual([
    'CREATE TABLE IF NOT EXISTS own_raw.parent_batches',
  ]);
  expect(new Set(made).size).toBe(made.length);
  expect(made.length).toBe(8);
});

test('a table that somebody made meanwhile is found the next time', async () => {
  let raced = false;
  const { engine, changes } = engineOver({}, (sql) => {
    if (raced || !sql.startsWith('CREATE TABLE')) return undefined;
    raced = true;
    return outcomeUnknown('here', 'q', new Error('lost'));
  });
  await engine.ensureTable({ name: 'raw.one', columns });
  expect(changes()).toEqual(['CREATE TABLE IF NOT EXISTS own_raw.one', 'CREATE TABLE IF NOT EXISTS own_raw.one']);
});

test('staged files are read as a table that is made where a statement finds none', async () => {
  let isThere = false;
  const { engine, changes } = engineOver({ one: kept }, (sql) => {
    if (sql.startsWith('CREATE TABLE IF NOT EXISTS stage.')) isThere = true;
    if (isThere || !sql.startsWith('MERGE')) return undefined;
    return new FirnError('failed', 'there is no such table', { context: { reason: 'TABLE_NOT_FOUND' } });
  });
  await engine.ensureTable({ name: 'raw.one', columns });
  const batch = { id: 1, table: 'raw.one', uri: 's3://b/one/1.parquet', rows: 1, bytes: 1, sha256: '' };
  expect(await engine.apply('raw.one', [batch])).toEqual({ inserted: 1 });
  const once = [
    'MERGE INTO own_raw.one',
    expect.stringMatching(/^CREATE TABLE IF NOT EXISTS stage\.own\.one_\w{8}$/),
    'MERGE INTO own_raw.one',
  ];
  expect(changes()).toEqual(once);
  await engine.apply('raw.one', [batch]);
  expect(changes()).toEqual([...once, 'MERGE INTO own_raw.one']);
});

test('warehouses of one schema whose tables lie in two catalogs read their own stage in a third', async () => {
  const batch = { id: 1, table: 'raw.one', uri: 's3://b/one/1.parquet', rows: 1, bytes: 1, sha256: '' };
  const read = await Promise.all(
    ['s3://b/', 's3://c/', 's3://c/'].map(async (root) => {
      const { engine, sent } = engineOver({ one: kept }, undefined, root);
      await engine.ensureTable({ name: 'raw.one', columns });
      await engine.apply('raw.one', [batch]);
      return sent.map((sql) => /FROM (stage\.own\.one_\w+)/.exec(sql)?.[1]).find((name) => name !== undefined);
    }),
  );
  expect(read[0]).not.toBe(read[1]);
  expect(read[1]).toBe(read[2]);
});

test('a catalog whose name is no plain word stands in quotes', async () => {
  const sent: string[] = [];
  const client = { run: async (sql: string) => void sent.push(sql) } as unknown as TrinoClient;
  const engine = createTrinoEngine({ client, schema: 'own', stageCatalog: 'my-stage', stageRoot: 's3://b/' });
  await engine.unload('x', 'SELECT 1').catch(() => {});
  await engine.drop('firn.x').catch(() => {});
  const named = sent.flatMap((sql) => sql.match(/\S*my-stage\S*\.own\b/g) ?? []);
  expect(named.length).toBeGreaterThan(2);
  expect(new Set(named)).toEqual(new Set(['"my-stage".own']));
});

test('one that another version made without new columns is made anew', async () => {
  let isOld = true;
  const { engine, sent } = engineOver({ one: kept }, (sql) => {
    if (sql.startsWith('DROP TABLE')) isOld = false;
    if (!isOld || !sql.startsWith('MERGE')) return undefined;
    return new FirnError('failed', `Column 'k' cannot be resolved`, { context: { reason: 'COLUMN_NOT_FOUND' } });
  });
  await engine.ensureTable({ name: 'raw.one', columns });
  const batch = { id: 1, table: 'raw.one', uri: 's3://b/one/1.parquet', rows: 1, bytes: 1, sha256: '' };
  expect(await engine.apply('raw.one', [batch])).toEqual({ inserted: 1 });
  const steps = sent
    .filter((sql) => /^(DROP|CREATE TABLE|MERGE)/.test(sql))
    .map((sql) => sql.split(/ \(|\n| USING/)[0]);
  expect(steps).toEqual([
    'MERGE INTO own_raw.one AS t',
    expect.stringMatching(/^DROP TABLE IF EXISTS stage\.own\.one_\w{8}$/),
    expect.stringMatching(/^CREATE TABLE IF NOT EXISTS stage\.own\.one_\w{8}$/),
    'MERGE INTO own_raw.one AS t',
  ]);
});
