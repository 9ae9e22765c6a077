import { expect, test } from 'vitest';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import type { Column } from '../../../src/core/columns/table.ts';
import { partitionName } from '../../../src/core/partitionName.ts';
import { type Partition, partitionKey } from '../../../src/core/stream/partition.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { openDateHeights } from '../../../src/load/bookkeeping/dateHeights.ts';
import { readDropped } from '../../../src/load/bookkeeping/droppedReads.ts';
import { noteCheckpoint } from '../../../src/load/commit/checkpoints.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { links } from '../../../src/run/evidence/evidenceLinks.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import { readRange } from '../../../src/run/read/readRange.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { backfillPartition } from '../../../src/run/upkeep/backfillPartition.ts';
import { dropStream } from '../../../src/run/upkeep/dropStream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { batchOf, partition, transfer, transfersStream } from '../../load/transfers.ts';
import { span } from '../../span.ts';
import { type Chain, createChain, fetchOf, heightsStream, partitionOf } from '../read/heightsStream.ts';
import { readContext } from '../read/readContext.ts';
import { historyOf, transactionsBelow } from './addressHistories.ts';

async function begin(head: number) {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const chain = createChain(head);
  const context = (partition: Partition, fetch: Fetch = fetchOf(chain)) =>
    readContext(warehouse, heightsStream, partition, fetch);
  const drop = (partition?: Partition) =>
    dropStream(warehouse, [heightsStream], heightsStream.id, { partition: partition && partitionKey(partition) });
  const heights = async () =>
    (await warehouse.query<{ height: bigint }>('SELECT height FROM raw.node_heights ORDER BY 1')).map(({ height }) =>
      Number(height),
    );
  return { warehouse, chain, context, drop, heights };
}

const broken =
  (chain: Chain, path: string): Fetch =>
  async (request) => {
    if ('path' in request && request.path === path) throw new Error('down');
    return fetchOf(chain)(request);
  };

test('a partition that is dropped takes the backfill along that was not over', async () => {
  const { warehouse, chain, context, drop, heights } = await begin(29);
  const partition = partitionOf({ from: 20 });
  await readRange(heightsStream, context(partition));
  const failing = context(partition, broken(chain, '14..17'));
  await expect(backfillPartition(heightsStream, failing, { from: '10' })).rejects.toThrow('down');
  expect(await heights()).toEqual([...span(10, 14), ...span(20, 30)]);
  await drop(partition);
  expect([await heights(), await warehouse.query('FROM firn.checkpoint')]).toEqual([[], []]);
  await readRange(heightsStream, context(partition));
  await backfillPartition(heightsStream, context(partition), { from: '10' });
  expect(await heights()).toEqual(span(10, 30));
});

test('what another partition found equal is read again for it', async () => {
  const { context, drop, heights } = await begin(9);
  const filtered = { ...partitionOf(), filters: { of: 'a' } };
  await readRange(heightsStream, context(filtered));
  await readRange(heightsStream, context(partitionOf()));
  expect((await drop(filtered)).dropped).toEqual([{ table: 'raw.node_heights', rows: 10 }]);
  await readRange(heightsStream, context(partitionOf()));
  expect(await heights()).toEqual(span(0, 10));
});

/** An address's transactions from 30 to 59, with what lies down to 5; those from 10 to 39 were read by another partition, up to 40, before. */
async function histories() {
  const stream = addressTransactions as unknown as Stream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const [upTo40, whole] = [historyOf(30, 40), historyOf(30, null)];
  const context = (partition: Partition, fetch = transactionsBelow(60)) =>
    readContext(warehouse, stream, partition, fetch, { begin: '30' });
  const sync = (partition: Partition) => readPaged(stream as never, context(partition));
  const backfill = (partition: Partition, from: string, fetch?: Fetch) =>
    backfillPartition(stream, context(partition, fetch), { from });
  await sync(upTo40);
  await backfill(upTo40, '10');
  await sync(whole);
  await backfill(whole, '5');
  const drop = (begins?: string) =>
    dropStream(warehouse, [stream], stream.id, {
      partition: partitionKey(upTo40),
      begins: new Map([[partitionKey(whole), begins]]),
    });
  const rows = async () =>
    (await warehouse.query<{ at: bigint }>(`SELECT block_number AS at FROM ${stream.table.name} ORDER BY 1`)).map(
      ({ at }) => Number(at),
    );
  return { warehouse, whole, sync, backfill, drop, rows };
}

test('what another partition found equal is read again for it as far down as it was read, by a backfill', async () => {
  const { whole, sync, backfill, drop, rows } = await histories();
  expect(await rows()).toEqual(span(5, 60));
  expect((await drop('30')).backfills).toEqual([{ partition: partitionKey(whole), asked: '5' }]);
  expect(await rows()).toEqual([...span(5, 10), ...span(40, 60)]);
  await sync(whole);
  await backfill(whole, '5');
  expect(await rows()).toEqual(span(5, 60));
});

test.each<[string, string, string | undefined, string | undefined]>([
  ['a sync reads all of it again', '30', undefined, undefined],
  ['it is to begin further down than it was read', '50', undefined, undefined],
  ['a backfill was under way', '30', '10', '10'],
  ['a backfill was under way in what was read', '20', '28', '20'],
  ['a backfill was under way below what was read', '20', '10', '10'],
  ['an age that means another day by now', '2020-01-01', undefined, '2020-01-01'],
])('what a backfill is to read of a partition that shares rows: %s', async (_, begun, asked, open) => {
  const { warehouse, whole, drop } = await histories();
  // What is noted counts, whatever its position tells.
  await warehouse.run(
    `UPDATE firn.begun SET "from" = '${begun}'; UPDATE firn.checkpoint SET "position" = '{"next":60,"since":1}'`,
  );
  if (asked !== undefined) {
    await warehouse.run(`INSERT INTO firn.checkpoint
      SELECT s, "partition" || '|backfill', '{"asked":"' || a || '","at":{},"to":null}', 1, now()::TIMESTAMP
      FROM firn.checkpoint, (VALUES (stream, '${asked}'), ('a/other', '1')) AS v (s, a)`);
  }
  const key = partitionKey(whole);
  const { backfills } = await drop(begun === '2020-01-01' ? '-30d' : '30');
  expect(backfills).toEqual(open === undefined ? [] : [{ partition: key, asked: open }]);
  expect(
    await warehouse.query(`SELECT "partition", "position" FROM firn.checkpoint WHERE stream <> 'a/other'`),
  ).toEqual(
    open === undefined
      ? []
      : [{ partition: `${key}|backfill`, position: JSON.stringify({ asked: open, at: null, to: null }) }],
  );
});

test('from where on a partition was read that shares rows is told by its position where nothing else notes it', async () => {
  const { warehouse, whole, drop } = await histories();
  const since = Date.parse('2020-01-01T00:00:00Z') / 1000;
  await warehouse.run(`DELETE FROM firn.begun; UPDATE firn.checkpoint SET "position" = '{"next":60,"since":${since}}';
    INSERT INTO firn.checkpoint SELECT stream, "partition" || '|again ' || i, '{}', 1, now()::TIMESTAMP FROM firn.checkpoint, range(9) AS r(i)`);
  const { backfills } = await drop('2021-01-01');
  expect(backfills).toEqual([{ partition: partitionKey(whole), asked: '2020-01-01T00:00:00Z' }]);
});

test('a stream whose file was removed is dropped, and nothing of others: it may come back with other columns', async () => {
  const other = transfersStream();
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream, other]));
  await readRange(heightsStream, readContext(warehouse, heightsStream, partitionOf(), fetchOf(createChain(9))));
  const transfers = { stream: other, partition, runId: 'run', batch: batchOf(other, [transfer(1)]), from: null };
  await commitBatch(warehouse, { ...transfers, to: { next: 2 } });
  const drop = (id: string) => dropStream(warehouse, [], id);
  await expect(drop('node/other')).rejects.toMatchObject({ code: 'usage' });
  expect((await drop('node/heights')).dropped).toEqual([{ table: 'raw.node_heights', rows: 10 }]);
  warehouse.close();
  const columns = heightsStream.table.columns.map((column): Column => ({ ...column, type: 'varchar' }));
  const again = await temporaryWarehouse([{ ...heightsStream.table, columns }], warehouse.folder);
  expect(await again.query('SELECT height FROM raw.data_transfers')).toEqual([{ height: 1n }]);
});

test('a stream with other columns than it had, and without a child that it had, is dropped whole, and has its tables as it declares them', async () => {
  const parts = { ...heightsStream.table, name: 'raw.node_parts' };
  const warehouse = await temporaryWarehouse([heightsStream.table, parts]);
  await readRange(heightsStream, readContext(warehouse, heightsStream, partitionOf(), fetchOf(createChain(9))));
  await warehouse.run('INSERT INTO raw.node_parts FROM raw.node_heights');
  const columns = heightsStream.table.columns.map((column): Column => ({ ...column, type: 'varchar' }));
  const changed = { ...heightsStream, table: { ...heightsStream.table, columns } };
  expect((await dropStream(warehouse, [changed], changed.id)).dropped).toEqual([
    { table: 'raw.node_heights', rows: 10 },
    { table: 'raw.node_parts', rows: 10 },
  ]);
  expect(
    await warehouse.query(
      `SELECT DISTINCT table_name AS name, data_type AS type FROM duckdb_columns() WHERE table_name IN ('node_heights', 'node_parts')`,
    ),
  ).toEqual([{ name: 'node_heights', type: 'VARCHAR' }]);
});

test('the heights of dates go along: a chain that was made anew has others', async () => {
  const { warehouse, context, drop } = await begin(9);
  const at = (height: number) => ({ height, time: height * 21_600 });
  const dates = await openDateHeights(warehouse);
  for (const height of [4, 5]) dates.of('43112')(105_000).note(at(height));
  await dates.save();
  await readRange(heightsStream, context(partitionOf()));
  const known = async () => (await openDateHeights(warehouse)).of('43112')(105_000);
  expect(await known()).toMatchObject({ older: at(4), from: at(5) });
  await drop();
  expect(await known()).toMatchObject({ older: null, from: null });
});

/** Notes how far partitions were read, or what is read beside them. */
const noteAll = (keys: readonly string[]) =>
  keys.map((key) => noteCheckpoint(heightsStream.id, key, { asked: '0' }, 1)).join(';\n');

test('partitions whose values tell their rows apart stay', async () => {
  const { warehouse } = await begin(0);
  const apart = { ...heightsStream, table: { ...heightsStream.table, key: ['name', 'height'] } };
  const drop = (partition?: Partition) =>
    dropStream(warehouse, [apart], apart.id, { partition: partition && partitionKey(partition) });
  const keys = ['name=a', 'name=a,of=x', 'name=b', 'name=b|backfill', 'name=a|again 2026-01-01..2026-01-02'];
  await warehouse.run(`${noteAll(keys)};
    INSERT INTO firn.lookup SELECT stream, "partition", 'k', 'found', 1 FROM firn.checkpoint`);
  await drop({ values: { name: 'a' } });
  expect(await warehouse.query('SELECT "partition" FROM firn.lookup ORDER BY 1')).toEqual(
    await warehouse.query('SELECT "partition" FROM firn.checkpoint ORDER BY 1'),
  );
  expect(await warehouse.query('SELECT "partition" FROM firn.checkpoint ORDER BY 1')).toEqual([
    { partition: 'name=b' },
    { partition: 'name=b|backfill' },
  ]);
  await drop();
  expect(await warehouse.query('FROM firn.checkpoint')).toEqual([]);
});

test('a value may hold what divides a partition from what is read beside it', async () => {
  const { warehouse, drop } = await begin(0);
  const keys = ['name=a|b', 'name=a|b|backfill', 'name=a', 'name=a|backfill'];
  await warehouse.run(noteAll(keys));
  const { backfills } = await drop({ values: { name: 'a' } });
  expect(backfills).toEqual([{ partition: 'name=a|b', asked: '0' }]);
});

test('a stream that has no checkpoint forgets which keys it looked up', async () => {
  const { warehouse, context, drop } = await begin(3);
  await readRange(heightsStream, context(partitionOf()));
  await warehouse.run(`INSERT INTO firn.lookup SELECT stream, "partition", 'k', 'found', 1 FROM firn.checkpoint;
    DELETE FROM firn.checkpoint`);
  await drop();
  expect(await warehouse.query('FROM firn.lookup')).toEqual([]);
});

test('partitions whose values stand in no key may share rows, and are read again', async () => {
  const { warehouse, drop } = await begin(0);
  await warehouse.run(
    `INSERT INTO firn.checkpoint SELECT '${heightsStream.id}', 'name=' || n, '{}', 1, now()::TIMESTAMP FROM (VALUES ('a'), ('b')) AS v (n)`,
  );
  await drop({ values: { name: 'a' } });
  expect(await warehouse.query('FROM firn.checkpoint')).toEqual([]);
});

test('a dry run tells what would go, and all stays', async () => {
  const { warehouse, context, drop, heights } = await begin(3);
  await readRange(heightsStream, context(partitionOf()));
  const dry = await dropStream(warehouse, [heightsStream], heightsStream.id, { dryRun: true });
  expect([dry.dropped, await heights()]).toEqual([[{ table: 'raw.node_heights', rows: 4 }], span(0, 4)]);
  expect(dry).toEqual(await drop());
});

test('what is noted goes along, and all that was built or passed counts for nothing', async () => {
  const { warehouse, context, drop } = await begin(3);
  await readRange(heightsStream, context(partitionOf()));
  await warehouse.run(`
    INSERT INTO firn.gap VALUES ('${heightsStream.id}', 'all', 1, 2, 1), ('node/other', 'all', 1, 2, 1);
    INSERT INTO firn.begun VALUES ('${heightsStream.id}', 'all', '0'), ('node/other', 'all', '0');
    INSERT INTO firn.quarantine BY NAME SELECT row_number() OVER () AS id, 1 AS load_id, 1 AS "number", stream, "partition", 'why' AS reason, '{}' AS record,
      '0' AS record_hash, 1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id FROM firn.gap;
    INSERT INTO firn.build_state VALUES (1, 'built', 'x', now()::TIMESTAMP, '{}');
    INSERT INTO firn.dropped VALUES ('raw.node_heights', TIMESTAMP '1970-01-02', 1, now()::TIMESTAMP), ('raw.other', TIMESTAMP '1970-01-02', 1, now()::TIMESTAMP);
    INSERT INTO firn.audit_state (name, load_id) VALUES ('assert_x', 1)`);
  await drop();
  expect(await warehouse.query('SELECT models_hash FROM firn.build_state')).toEqual([{ models_hash: '' }]);
  expect(await warehouse.query('SELECT "table" FROM firn.dropped')).toEqual([{ table: 'raw.other' }]);
  for (const note of ['gap', 'begun', 'quarantine'])
    expect(await warehouse.query(`SELECT stream FROM firn.${note}`)).toEqual([{ stream: 'node/other' }]);
  expect([...(await readDropped(warehouse.folder)).keys()]).toEqual([partitionName(heightsStream.id, 'all')]);
  expect(await warehouse.query('FROM firn.audit_state')).toEqual([]);
});

test('what breaks in blocks that are not held any more goes along, but not of chains whose old rows were dropped', async () => {
  const { warehouse, context, drop } = await begin(3);
  await readRange(heightsStream, context(partitionOf()));
  const blocks = (rows: string) => `SELECT * FROM (VALUES ${rows})`;
  await warehouse.run(`CREATE SCHEMA IF NOT EXISTS staging;
    CREATE VIEW staging.evm_block AS ${blocks(`('43112', 7), ('frozen', 9)`)} AS b (chain_id, "number");
    CREATE TABLE raw.node_containers_p_blocks AS ${blocks(`('P/block', 5)`)} AS b (index_name, height);
    CREATE TABLE raw.node_containers_x_blocks AS ${blocks(`('X/block', 6)`)} AS b (index_name, height);
    INSERT INTO firn.frozen VALUES ('frozen', TIMESTAMP '2026-01-01'), ('gone', TIMESTAMP '2026-01-01');
    INSERT INTO firn.chain BY NAME SELECT *, alias AS name, 'any' AS vm, now()::TIMESTAMP AS pinned_at FROM (VALUES ('43112', 'C'), ('P', 'P'), ('X', 'X')) AS c (chain_id, alias)`);
  const proven = [7, 8]
    .map((at) => `('43112', ${at})`)
    .concat(`('99001', 7)`, `('frozen', 1)`, `('P', 5)`, `('P', 6)`, `('X', 6)`);
  await warehouse.run(`INSERT INTO firn.evidence BY NAME SELECT *, '0x' AS block_hash, ${links.map((link) => `'broken' AS ${link}`).join(', ')},
    'gas' AS broken, now()::TIMESTAMP AS proven_at FROM (VALUES ${proven.join(', ')}) AS e (chain_id, "number")`);
  await drop();
  expect(await warehouse.query(`SELECT chain_id || ' ' || "number" AS block FROM firn.evidence ORDER BY 1`)).toEqual(
    ['43112 7', 'P 5', 'X 6', 'frozen 1'].map((block) => ({ block })),
  );
  expect(await warehouse.query('SELECT chain_id FROM firn.frozen')).toEqual([{ chain_id: 'frozen' }]);
});

test('nothing of that name was read: said, and nothing is dropped', async () => {
  const { drop } = await begin(3);
  await expect(drop()).rejects.toMatchObject({ code: 'not_found' });
});
