import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FirnError } from '../../../src/core/firnError.ts';
import { type RangeStream, type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { rlpList, rlpUint } from '../../../src/decode/evm/rlpWriter.ts';
import { recoverSenders } from '../../../src/decode/senders/recoverSenders.ts';
import { defineStream, encodedBytes, int64, optional, text } from '../../../src/index.ts';
import { queryUnresolved } from '../../../src/load/bookkeeping/unresolved.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { createSnapshotStage } from '../../../src/load/commit/snapshotStage.ts';
import { replayQuarantine } from '../../../src/run/upkeep/replayQuarantine.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { batchOf, partition } from '../../load/transfers.ts';
import { heightsStream } from '../read/heightsStream.ts';

const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
const source = { name: 'data', description: 'A source of tests.', numbers: 'lossless' } as const;

const part = z.object({ name: text('Name.'), of: text('Height.') });

/** The same stream as two versions of firn declare it: the older one knows heights as numbers alone. */
const declared = (way: 'slice' | 'snapshot', version: 'old' | 'new', key: 'id' | 'position' = 'id'): Stream =>
  defineStream(source, {
    name: 'things',
    description: 'Things.',
    endpoint: 'GET /things',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'chain_id', description: 'Chain.' }],
    partitions: () => [partition],
    schema: z.object({
      id: text('Id.'),
      height: version === 'old' ? int64('Height.') : text('Height.'),
      parts: z.array(part).optional(),
    }),
    key: ['chain_id', 'id', ...(key === 'position' ? [key] : [])],
    children: { things_parts: { description: 'Parts.', schema: part, key: ['name'], of: 'parts' } },
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
  // What somebody accepted is tried, too.
  await warehouse.run(`UPDATE firn.quarantine SET accepted_at = now()::TIMESTAMP, accepted_because = 'old'`);
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

test('what a stream computes of its rows is there as where they are read', async () => {
  const raw = encodedBytes('Bytes.', (hex) => Buffer.from(hex, 'hex'));
  const transaction = z.object({ raw, sender: optional(text('Sender.')) });
  const stream = defineStream(source, {
    name: 'blocks',
    description: 'Blocks.',
    endpoint: 'GET /blocks',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'chain_id', description: 'Chain.' }],
    partitions: () => [partition],
    schema: z.object({ id: text('Id.'), transactions: z.array(transaction) }),
    key: ['chain_id', 'id'],
    children: {
      blocks_transactions: {
        description: 'Transactions.',
        schema: transaction,
        key: ['raw'],
        of: 'transactions',
      },
    },
    enrichment: { child: 'blocks_transactions', column: 'sender', from: 'raw', by: 'senders' },
    way: 'slice',
    *pages() {},
    records: { each: 'item' },
  }) as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const signed = rlpList([0n, 1n, 21_000n, 0n, 1n, 0n, 27n, 1n, 7n].map(rlpUint));
  const record = JSON.stringify({ id: 'b', transactions: [{ raw: Buffer.from(signed).toString('hex') }] });
  const batch = { ...batchOf(stream, []), quarantined: [{ record, reason: 'of an older version' }] };
  await commitBatch(warehouse, { stream, partition, runId: 'run', batch, from: null, to: null });
  await replayQuarantine(warehouse, planned(stream), network, 'replay');
  const [sender] = recoverSenders([signed]);
  expect(sender).toMatch(/^0x/);
  expect(await warehouse.query('SELECT sender FROM raw.data_blocks_transactions')).toEqual([{ sender }]);
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

describe('a record of a snapshot that is read after all', () => {
  const [old, fresh] = [declared('snapshot', 'old'), declared('snapshot', 'new')];

  /**
   * Reads a list of one record with its part at each of these times [ms], by the one version of the stream or the other, then the quarantine. Gives
   * the versions of the record, which are those of the part.
   */
  async function replayed(reads: readonly (readonly [Stream, at: number])[], forget = '') {
    const warehouse = await temporaryWarehouse(tablesOf([fresh]));
    for (const [i, [stream, at]] of reads.entries()) {
      const height = `h${i + 1}`;
      const stage = await createSnapshotStage(warehouse, fresh, partition);
      const batch = batchOf(stream, [{ id: 'a', height, parts: [{ name: 'p', of: height }] }], at);
      const [set] = (stream === old ? batchOf(fresh, []) : batch).sets;
      await stage.add({ set, quarantined: batch.quarantined } as never);
      const span = { from: i === 0 ? null : { at: i }, to: { at: i + 1 } };
      await stage.apply({ stream: fresh, partition, runId: 'run', batch, ...span });
      if (i === 0) await warehouse.run(forget);
    }
    await replayQuarantine(warehouse, planned(fresh), network, 'replay');
    const versions = (table: string, height: string) =>
      warehouse.query(
        `SELECT ${height} AS height, _valid_to IS NULL AS is_current, _valid_to < _valid_from AS is_reversed, epoch_ms(_valid_to) = 2 AS is_early
         FROM raw.${table} ORDER BY 1`,
      );
    const found = await versions('data_things', 'height');
    expect(await versions('data_things_parts', '"of"')).toEqual(found);
    return found;
  }

  const past = { is_current: false, is_reversed: false, is_early: false };
  const current = { is_current: true, is_reversed: null, is_early: null };
  const replaced = [
    { height: 'h1', ...past },
    { height: 'h2', ...current },
  ];

  test('ends the version before it, and none before that', async () => {
    const found = await replayed([
      [fresh, 1],
      [fresh, 2],
      [old, 3],
    ]);
    expect(found).toEqual([
      { height: 'h1', ...past, is_early: true },
      { height: 'h2', ...past },
      { height: 'h3', ...current },
    ]);
  });

  test('ends it where it begins, where the clock was ahead', async () => {
    const ahead = Date.now() + 86_400_000;
    const found = await replayed([
      [fresh, ahead],
      [old, ahead + 1],
    ]);
    expect(found).toEqual(replaced);
  });

  test('ends nothing where the newest list has another version', async () => {
    const reads = [
      [old, 1],
      [fresh, 2],
    ] as const;
    expect(await replayed(reads, 'UPDATE firn.quarantine SET record_key = NULL')).toEqual(replaced);
  });
});
