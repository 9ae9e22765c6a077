import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import type { Partition } from '../../../src/core/stream/partition.ts';
import { type Child, type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { queryUnresolved } from '../../../src/load/bookkeeping/unresolved.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { notAccepted } from '../../../src/load/commit/quarantine.ts';
import { createSnapshotStage } from '../../../src/load/commit/snapshotStage.ts';
import { sqlFolder } from '../../../src/load/packageFiles.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { readRelations } from '../../../src/report/read/readRelations.ts';
import { acceptQuarantine, reopenQuarantine } from '../../../src/run/upkeep/acceptQuarantine.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';
import { batchOf, partition, transfer, transfersStream } from '../transfers.ts';

const stream = transfersStream();
const others: Stream = { ...stream, id: 'data/others' };
const elsewhere: Partition = { values: { chain_id: '1' } };
const open = () => temporaryWarehouse(tablesOf([stream]));

/** Commits raw records as a read would. */
const read = (warehouse: Warehouse, raws: readonly unknown[], of: Stream = stream, at: Partition = partition) =>
  commitBatch(warehouse, {
    stream: of,
    partition: at,
    runId: 'run',
    batch: batchOf(of, raws),
    from: null,
    to: null,
  });

const entries = (warehouse: Warehouse) =>
  warehouse.query(
    `SELECT id::INTEGER AS id, times_seen::INTEGER AS times, load_id::INTEGER AS first, last_load_id::INTEGER AS last,
       replayed_at IS NOT NULL AS is_read, accepted_because FROM firn.quarantine ORDER BY id`,
  );
const entry = (times: number, first: number, last: number, more: object = {}) => ({
  id: 1,
  times,
  first,
  last,
  is_read: false,
  accepted_because: null,
  ...more,
});

/** A transfer whose key is right and whose value is not. */
const bad = (height: number, value: unknown = 'much') => ({ ...transfer(height), value });

describe('a record that comes again', () => {
  test('is one entry, with how often it came', async () => {
    const warehouse = await open();
    for (let run = 0; run < 3; run++) await read(warehouse, [bad(1), transfer(2)]);
    expect(await entries(warehouse)).toEqual([entry(3, 1, 3)]);
    expect(await queryUnresolved(warehouse)).toMatchObject({ records: 1, groups: [{ records: 1, times: 3 }] });
  });

  test('is known by its key where other members change: the entry holds it as it came last', async () => {
    const warehouse = await open();
    await read(warehouse, [bad(1, 'x')]);
    await read(warehouse, [bad(1, 'z'), bad(1, 'y')]);
    expect(await entries(warehouse)).toEqual([entry(3, 1, 2)]);
    const [held] = await warehouse.query<{ record: string; reason: string }>('SELECT * FROM firn.quarantine');
    expect(held?.reason).toContain('got "y"');
    expect(JSON.parse(held?.record ?? '')).toMatchObject({ value: 'y' });
  });

  test('is known by its content where the key cannot be read, in and between batches', async () => {
    const warehouse = await open();
    await read(warehouse, [{}, {}, { txHash: 'no hash' }, { txHash: 'nor this' }]);
    await read(warehouse, [{ txHash: 'no hash' }, {}]);
    expect((await entries(warehouse)).map(({ times }) => times)).toEqual([3, 2, 1]);
  });

  test('is an entry of its own in each stream and partition', async () => {
    const warehouse = await open();
    await read(warehouse, [{}]);
    await read(warehouse, [{}], stream, elsewhere);
    await read(warehouse, [{}], others);
    expect((await entries(warehouse)).map(({ times }) => times)).toEqual([1, 1, 1]);
  });

  test('keeps the beginning of a reason that is as long as a record', async () => {
    const warehouse = await open();
    const batch = { ...batchOf(stream, []), quarantined: [{ record: '{}', reason: 'x'.repeat(3000) }] };
    await commitBatch(warehouse, { stream, partition, runId: 'run', batch, from: null, to: null });
    expect(await warehouse.query('SELECT reason FROM firn.quarantine')).toEqual([{ reason: 'x'.repeat(2000) }]);
  });

  test('any JSON, and any text in it, is kept as it came', async () => {
    const warehouse = await open();
    const odd = [null, 7, '\u0000', [], ['a'], { txHash: '\u0000', note: '💥\ud800' }, { height: 2n ** 70n }];
    await read(warehouse, odd);
    const held = await warehouse.query<{ record: string }>('SELECT record FROM firn.quarantine ORDER BY id');
    expect(held).toHaveLength(odd.length);
    expect(held.map(({ record }) => record)).toContain(`{"height":${2n ** 70n}}`);
    await read(warehouse, odd);
    expect((await queryUnresolved(warehouse)).records).toBe(odd.length);
  });

  test('thousands of one batch are written at once, and each is kept', { tags: 'long' }, async () => {
    const warehouse = await open();
    const raws = Array.from({ length: 16_000 }, (_, i) => (i % 2 === 0 ? {} : bad(i)));
    await read(warehouse, raws);
    await read(warehouse, raws);
    const unresolved = await queryUnresolved(warehouse);
    expect(unresolved.records).toBe(8001);
    expect(unresolved.groups.reduce((sum, { times }) => sum + times, 0)).toBe(32_000);
  });
});

describe('a record that comes right', () => {
  test('resolves its entry in the load that brings it; one that goes bad again opens it', async () => {
    const warehouse = await open();
    await read(warehouse, [bad(1), bad(2)]);
    await read(warehouse, [transfer(1)]);
    expect((await entries(warehouse)).map(({ is_read }) => is_read)).toEqual([true, false]);
    expect((await queryUnresolved(warehouse)).records).toBe(1);
    await read(warehouse, [bad(1)]);
    expect(await entries(warehouse)).toEqual([entry(2, 1, 3), entry(1, 1, 1, { id: 2 })]);
  });

  test('and one that was tried again, and goes bad in the same read, stays open', async () => {
    const warehouse = await open();
    await read(warehouse, [bad(1)]);
    const batch = { ...batchOf(stream, [bad(1)]), replayed: [1n] };
    await commitBatch(warehouse, { stream, partition, runId: 'run', batch, from: null, to: null });
    expect(await entries(warehouse)).toEqual([entry(2, 1, 2)]);
  });

  test('also where its row is there already and nothing is written', async () => {
    const warehouse = await open();
    await read(warehouse, [transfer(1)]);
    await read(warehouse, [bad(1)]);
    expect((await read(warehouse, [transfer(1)])).rows).toBe(0);
    expect((await queryUnresolved(warehouse)).records).toBe(0);
  });

  test('in a snapshot, by the list that holds it right', async () => {
    const snapshot = transfersStream('snapshot');
    const warehouse = await temporaryWarehouse(tablesOf([snapshot]));
    const take = async (raws: readonly unknown[]) => {
      const batch = batchOf(snapshot, raws);
      const stage = await createSnapshotStage(warehouse, snapshot, partition);
      for (const set of batch.sets) await stage.add({ set, quarantined: [], unknown: [] });
      await stage.apply({ stream: snapshot, partition, runId: 'run', batch, from: null, to: null });
      await stage.drop();
    };
    await take([bad(1), transfer(2)]);
    await take([bad(1), transfer(2)]);
    expect(await entries(warehouse)).toEqual([entry(2, 1, 2)]);
    await take([transfer(1), transfer(2)]);
    expect(await entries(warehouse)).toEqual([entry(2, 1, 2, { is_read: true })]);
  });
});

describe('where answers show only a part of a record', () => {
  const [[name, child]] = Object.entries(stream.children) as [[string, Child]];
  const partial: Stream = { ...stream, children: { [name]: { ...child, write: 'union' } } };
  const parts = (...logs: readonly number[]) => logs.map((logIndex) => ({ logIndex, amount: '7' }));
  const good = (...logs: readonly number[]) => ({ ...transfer(1), parts: parts(...logs) });
  const wrong = (...logs: readonly number[]) => ({ ...good(...logs), value: 'much' });
  /** The parts of those that are not read. */
  const held = async (warehouse: Warehouse) =>
    (
      await warehouse.query<{ record: string }>(
        'SELECT record FROM firn.quarantine WHERE replayed_at IS NULL ORDER BY id',
      )
    ).map(({ record }) => (JSON.parse(record) as ReturnType<typeof good>).parts.map(({ logIndex }) => logIndex));

  test.each<[string, unknown, number[][]]>([
    ['another part of it leaves it', good(3), [[1, 2]]],
    ['a part of that part leaves it', good(1), [[1, 2]]],
    ['the same part resolves it', good(2, 1), []],
    ['a larger part resolves it', good(1, 2, 3), []],
    ['another part that is wrong is another record', wrong(3), [[1, 2], [3]]],
    ['the same part that is wrong is the same record', { ...wrong(2, 1), note: 'x' }, [[2, 1]]],
    ['a part that cannot be read is another record', wrong(Number.NaN), [[1, 2], [null as never]]],
  ])('%s', async (_, next, left) => {
    const warehouse = await open();
    await read(warehouse, [wrong(1, 2)], partial);
    await read(warehouse, [next], partial);
    expect(await held(warehouse)).toEqual(left);
  });

  test('several answers make up for it, and one is as good as its row', async () => {
    const warehouse = await open();
    await read(warehouse, [wrong(1, 2), wrong()], partial);
    await read(warehouse, [good(1)], partial);
    expect(await held(warehouse)).toEqual([[1, 2]]);
    await read(warehouse, [good(2)], partial);
    expect(await held(warehouse)).toEqual([]);
  });

  test('an entry of before is known by its content, and resolved by what it shows', async () => {
    const warehouse = await open();
    await read(warehouse, [wrong(1, 2)], partial);
    await warehouse.run(`UPDATE firn.quarantine SET record_key = json_array(record_key->>0)::VARCHAR`);
    await read(warehouse, [wrong(1, 2)], partial);
    expect(await held(warehouse)).toEqual([[1, 2]]);
    await warehouse.run(`UPDATE firn.quarantine SET record_key = json_array(record_key->>0)::VARCHAR`);
    await read(warehouse, [good(3)], partial);
    expect(await held(warehouse)).toEqual([[1, 2]]);
    await read(warehouse, [good(1, 2)], partial);
    expect(await held(warehouse)).toEqual([]);
  });
});

describe('accepting', () => {
  test('is that of the one stream and partition, and of records that nothing tells apart', async () => {
    const warehouse = await open();
    await read(warehouse, [{}, bad(1)]);
    await acceptQuarantine(warehouse, { all: true }, 'as it is');
    const held = await warehouse.query<{ record: string }>('SELECT record FROM firn.quarantine ORDER BY id');
    const [unknown, known] = held.map(({ record }) => record) as [string, string];
    expect(await notAccepted(warehouse, { stream, partition }, [unknown, known, '[]'])).toEqual([known, '[]']);
    for (const of of [
      { stream, partition: elsewhere },
      { stream: others, partition },
    ])
      expect(await notAccepted(warehouse, of, [unknown])).toEqual([unknown]);
  });

  test('keeps a record accepted when it comes again, and reopening takes it back', async () => {
    const warehouse = await open();
    await read(warehouse, [bad(1), bad(2)]);
    expect(await acceptQuarantine(warehouse, { ids: [1n] }, "the service's own fault")).toBe(1);
    await read(warehouse, [bad(1), bad(2)]);
    expect(await queryUnresolved(warehouse)).toMatchObject({ records: 1, accepted: 1 });
    expect((await entries(warehouse))[0]).toEqual(entry(2, 1, 2, { accepted_because: "the service's own fault" }));
    expect(await reopenQuarantine(warehouse, { all: true })).toBe(1);
    expect(await queryUnresolved(warehouse)).toMatchObject({ records: 2, accepted: 0 });
  });

  test.each([
    ['streams', { streams: ['data/*'] }, 2],
    ['a part of the reason', { matching: 'got "x"' }, 1],
    ['an id and a part of the reason', { ids: [1n], matching: 'value' }, 1],
    ['everything', { all: true }, 2],
  ])('by %s', async (_, choice, count) => {
    const warehouse = await open();
    await read(warehouse, [bad(1, 'x'), bad(2, 'y')]);
    expect(await acceptQuarantine(warehouse, choice, 'why')).toBe(count);
    expect((await queryUnresolved(warehouse)).accepted).toBe(count);
  });

  test.each([
    ['no choice', {}, 'usage'],
    ['all and some', { all: true, ids: [1n] }, 'usage'],
    ['an id that is not there', { ids: [1n, 9n] }, 'not_found'],
    ['a stream without records', { streams: ['node/*'] }, 'not_found'],
    ['SQL for a reason', { matching: "' OR true --" }, 'not_found'],
  ])('%s is refused, and nothing is accepted', async (_, choice, code) => {
    const warehouse = await open();
    await read(warehouse, [bad(1)]);
    await expect((async () => acceptQuarantine(warehouse, choice, 'why'))()).rejects.toMatchObject({ code });
    expect((await queryUnresolved(warehouse)).accepted).toBe(0);
  });
});

test('rows of 0.1, one a run, become one entry each; the same record is found by its content', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const record = JSON.stringify(bad(1));
  await connection.run(`
    CREATE SCHEMA firn;
    CREATE TABLE firn.quarantine (load_id BIGINT, "number" INTEGER, stream VARCHAR, "partition" VARCHAR, reason VARCHAR, record VARCHAR,
      quarantined_at TIMESTAMP, replayed_at TIMESTAMP);
    INSERT INTO firn.quarantine VALUES
      (3, 4, 's', 'p', 'first', '${record}', '2026-01-01', '2026-01-05'), (5, 0, 's', 'p', 'last', '${record}', '2026-01-03', NULL),
      (3, 5, 's', 'p', 'r', '{}', '2026-01-01', '2026-01-02'), (3, 6, 's', 'q', 'r', '{}', '2026-01-01', NULL)`);
  // What 0.1 published is read as it is.
  const source = { query: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjects() as never };
  const relations = await readRelations(source);
  const has = (relation: string, column: string) => relations.get(relation)?.has(column) ?? false;
  expect(await queryUnresolved(source, has)).toMatchObject({
    records: 2,
    accepted: 0,
    heldBack: [],
    streams: [{ records: 2 }],
  });
  await connection.run(await readFile(join(sqlFolder('schema'), '110_quarantine.sql'), 'utf8'));
  const rows = await connection.runAndReadAll(
    `SELECT id::INTEGER AS id, load_id::INTEGER AS load_id, "number", "partition", reason, times_seen::INTEGER AS times_seen,
       quarantined_at::DATE::VARCHAR AS first, last_seen_at::DATE::VARCHAR AS last, last_load_id::INTEGER AS last_load_id,
       replayed_at::DATE::VARCHAR AS replayed, record_hash = sha256(record) AS is_hashed
     FROM firn.quarantine ORDER BY id`,
  );
  const one = {
    load_id: 3,
    times_seen: 1,
    first: '2026-01-01',
    last: '2026-01-01',
    last_load_id: 3,
    reason: 'r',
    is_hashed: true,
  };
  expect(rows.getRowObjectsJson()).toEqual([
    {
      ...one,
      id: 1,
      number: 4,
      partition: 'p',
      reason: 'last',
      times_seen: 2,
      last: '2026-01-03',
      last_load_id: 5,
      replayed: null,
    },
    { ...one, id: 2, number: 5, partition: 'p', replayed: '2026-01-02' },
    { ...one, id: 3, number: 6, partition: 'q', replayed: null },
  ]);
  connection.closeSync();
  instance.closeSync();

  const warehouse = await open();
  await read(warehouse, [bad(1)]);
  await warehouse.run('UPDATE firn.quarantine SET record_key = NULL');
  await read(warehouse, [bad(1)]);
  expect(await entries(warehouse)).toEqual([entry(2, 1, 2)]);
});
