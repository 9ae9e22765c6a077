import { expect, test } from 'vitest';
import { z } from 'zod';
import { FirnError } from '../../../src/core/firnError.ts';
import { type RangeStream, type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { defineStream, int64, text } from '../../../src/index.ts';
import { queryUnresolved } from '../../../src/load/bookkeeping/unresolved.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { createSnapshotStage } from '../../../src/load/commit/snapshotStage.ts';
import { replayQuarantine } from '../../../src/run/upkeep/replayQuarantine.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { batchOf, partition } from '../../load/transfers.ts';
import { heightsStream } from '../read/heightsStream.ts';

const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
const source = { name: 'data', description: 'A source of tests.', numbers: 'lossless' } as const;

/** The same stream as two versions of firn declare it: the older one knows heights as numbers alone. */
const declared = (way: 'slice' | 'snapshot', version: 'old' | 'new', key: 'id' | 'position' = 'id'): Stream =>
  defineStream(source, {
    name: 'things',
    description: 'Things.',
    endpoint: 'GET /things',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'chain_id', description: 'Chain.' }],
    partitions: () => [partition],
    schema: z.object({ id: text('Id.'), height: version === 'old' ? int64('Height.') : text('Height.') }),
    key: ['chain_id', 'id', ...(key === 'position' ? [key] : [])],
    way: way as 'slice',
    *pages() {},
    records: { each: 'item' },
  }) as Stream;

const planned = (stream: Stream) => [{ pipeline: 'main', stream, parameters: {} }];

test('a newer schema reads thousands of records in a few loads, in the transaction that resolves them', {
  tags: 'long',
}, async () => {
  const [old, fresh] = [declared('slice', 'old'), declared('slice', 'new')];
  const warehouse = await temporaryWarehouse(tablesOf([fresh]));
  const raws = Array.from({ length: 4500 }, (_, i) => ({ id: `t${i}`, height: i === 7 ? {} : `h${i}` }));
  await commitBatch(warehouse, {
    stream: old,
    partition,
    runId: 'run',
    batch: batchOf(old, raws),
    from: null,
    to: { next: 1 },
  });
  expect((await queryUnresolved(warehouse)).records).toBe(4500);
  const results = await replayQuarantine(warehouse, planned(fresh), network, 'replay');
  expect(results).toEqual([{ stream: 'data/things', partition: 'chain_id=43112', tried: 4500, readable: 4499 }]);
  expect(await warehouse.query('SELECT count(DISTINCT id) AS n FROM raw.data_things')).toEqual([{ n: 4499n }]);
  expect(await warehouse.query('SELECT count(*) AS n, sum(rows_in)::BIGINT AS records FROM firn.load')).toEqual([
    { n: 4n, records: 8999n },
  ]);
  expect((await queryUnresolved(warehouse)).records).toBe(1);
  const again = await replayQuarantine(warehouse, planned(fresh), network, 'again');
  expect(again).toMatchObject([{ tried: 1, readable: 0 }]);
});

test('a chain that is configured and not known yet keeps no other record from being read', async () => {
  const [old, fresh] = [declared('slice', 'old'), declared('slice', 'new')];
  const warehouse = await temporaryWarehouse(tablesOf([fresh]));
  const batch = batchOf(old, [{ id: 't', height: 'h' }]);
  await commitBatch(warehouse, { stream: old, partition, runId: 'run', batch, from: null, to: { next: 1 } });
  const unknown = () => {
    throw new FirnError('config', 'The EVM chain x is not known.');
  };
  const all = [...planned({ ...fresh, id: 'data/others', partitions: unknown } as Stream), ...planned(fresh)];
  expect(await replayQuarantine(warehouse, all, network, 'replay')).toMatchObject([{ tried: 1, readable: 1 }]);
  expect(await replayQuarantine(warehouse, all, network, 'again')).toEqual([]);
});

test('a record is put right as it would be where it is read, and stays where it cannot be', async () => {
  const amend: RangeStream['amend'] = ({ own }) => {
    const names = own.named('name');
    for (let row = 0; row < own.length; row++) {
      if (own.value(names, row) === 'bad') throw new FirnError('contract', 'no name');
      own.set(names, row, 'amended');
    }
  };
  const stream = { ...heightsStream, partitions: () => [partition], amend } as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const quarantined = ['a', 'bad', 'c'].map((name, height) => ({
    record: JSON.stringify({ height, name, id: name, parent: name }),
    reason: 'of an older version',
  }));
  const batch = { ...batchOf(stream, []), quarantined };
  await commitBatch(warehouse, { stream, partition, runId: 'run', batch, from: null, to: null });
  const results = await replayQuarantine(warehouse, planned(stream), network, 'replay');
  expect(results).toMatchObject([{ tried: 3, readable: 2 }]);
  expect(await warehouse.query('SELECT height, name FROM raw.node_heights ORDER BY height')).toEqual([
    { height: 0n, name: 'amended' },
    { height: 2n, name: 'amended' },
  ]);
});

test('a record without a key stays where rows like it are there: it may be one of them, and takes none of them away', async () => {
  const [old, fresh] = [declared('slice', 'old', 'position'), declared('slice', 'new', 'position')];
  const warehouse = await temporaryWarehouse(tablesOf([fresh]));
  const commit = (stream: Stream, ...raws: readonly unknown[]) =>
    commitBatch(warehouse, { stream, partition, runId: 'run', batch: batchOf(stream, raws), from: null, to: null });
  const held = ['1', '2'].map((height) => ({ id: 'a', height }));
  await commit(fresh, ...held);
  await commit(old, { id: 'a', height: 'x' }, { id: 'b', height: 'x' }, { id: 'b', height: 'y' });
  const results = await replayQuarantine(warehouse, planned(fresh), network, 'replay');
  expect(results).toMatchObject([{ tried: 3, readable: 2 }]);
  const rows = await warehouse.query('SELECT id, height, "position" FROM raw.data_things ORDER BY id, "position"');
  expect(rows).toEqual(
    [...held, { id: 'b', height: 'x' }, { id: 'b', height: 'y' }].map((row, i) => ({ ...row, position: i % 2 })),
  );
  expect((await queryUnresolved(warehouse)).groups).toMatchObject([
    { records: 1, reason: expect.stringContaining('firn backfill data/things --again') },
  ]);
});

test('a record of a snapshot becomes the version that it was: current only where the newest list holds it', async () => {
  const [old, fresh] = [declared('snapshot', 'old'), declared('snapshot', 'new')];
  const warehouse = await temporaryWarehouse(tablesOf([fresh]));
  const take = async (at: number, raws: readonly unknown[]) => {
    const batch = batchOf(old, raws, at);
    const stage = await createSnapshotStage(warehouse, old, partition);
    const [from] = await warehouse.query<{ position: string }>('SELECT "position" FROM firn.checkpoint');
    const position = from ? JSON.parse(from.position) : null;
    await stage.apply({ stream: old, partition, runId: 'run', batch, from: position, to: { readAt: at } });
    await stage.drop();
  };
  await take(1, [
    { id: 'gone', height: 'x' },
    { id: 'there', height: 'x' },
  ]);
  await take(2, [{ id: 'there', height: 'x' }]);
  // A load that moved no position, as of another replay, has read no list.
  await warehouse.run(`INSERT INTO firn.load BY NAME
    SELECT * REPLACE (load_id + 1 AS load_id, position_to AS position_from) FROM firn.load ORDER BY load_id DESC LIMIT 1`);
  await replayQuarantine(warehouse, planned(fresh), network, 'replay');
  expect(
    await warehouse.query(
      'SELECT id, _valid_to IS NULL AS is_current, _valid_from <= now()::TIMESTAMP AS began FROM raw.data_things ORDER BY id',
    ),
  ).toEqual([
    { id: 'gone', is_current: false, began: true },
    { id: 'there', is_current: true, began: true },
  ]);
  expect((await queryUnresolved(warehouse)).records).toBe(0);
});

test('a record of a snapshot that is read after all ends the version before it', async () => {
  const [old, fresh] = [declared('snapshot', 'old'), declared('snapshot', 'new')];
  const warehouse = await temporaryWarehouse(tablesOf([fresh]));
  const read = async (stream: Stream, height: string, from: { at: number } | null, to: { at: number }) => {
    const stage = await createSnapshotStage(warehouse, fresh, partition);
    const batch = batchOf(stream, [{ id: 'a', height }]);
    const [set] = (stream === old ? batchOf(fresh, []) : batch).sets;
    await stage.add({ set, quarantined: batch.quarantined } as never);
    await stage.apply({ stream: fresh, partition, runId: 'run', batch, from, to });
  };
  await read(fresh, 'h1', null, { at: 1 });
  await read(old, 'h2', { at: 1 }, { at: 2 });
  await replayQuarantine(warehouse, planned(fresh), network, 'replay');
  const versions = 'SELECT height, _valid_to IS NULL AS is_current FROM raw.data_things ORDER BY height';
  expect(await warehouse.query(versions)).toEqual([
    { height: 'h1', is_current: false },
    { height: 'h2', is_current: true },
  ]);
});
