import { expect, test } from 'vitest';
import { createTableSql } from '../../../src/core/columns/table.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readCheckpoint } from '../../../src/load/commit/checkpoints.ts';
import { commitBatch, prepareBatch, writeBatch } from '../../../src/load/commit/commit.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { temporary } from '../../temporaryFolders.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';
import { batchOf, callsStream, partition, transfer, transfersStream } from '../transfers.ts';

const stream = transfersStream();
const tables = tablesOf([stream]);
const key = 'chain_id=43112';
const commit = { stream, partition, runId: 'run' };

test('rows, children, quarantine, checkpoint and load row are there together', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const batch = batchOf(stream, [transfer(1, ['5', `${2n ** 256n - 1n}`]), { height: 'x' }, transfer(2)]);
  const committed = await commitBatch(warehouse, { ...commit, batch, from: null, to: { next: 3 } });
  expect(committed).toEqual({ loadId: 1, rows: 2, childRows: 2 });
  expect(
    await warehouse.query('SELECT height, tx_hash, value::VARCHAR AS value, _load_id FROM raw.data_transfers'),
  ).toEqual([
    { height: 1n, tx_hash: `0x${'1'.padStart(64, '0')}`, value: '10', _load_id: 1n },
    { height: 2n, tx_hash: `0x${'2'.padStart(64, '0')}`, value: '10', _load_id: 1n },
  ]);
  expect(
    await warehouse.query(
      'SELECT log_index, amount::VARCHAR AS amount, amount_text FROM raw.data_transfers_parts ORDER BY 1',
    ),
  ).toEqual([
    { log_index: 0, amount: '5', amount_text: null },
    { log_index: 1, amount: null, amount_text: `${2n ** 256n - 1n}` },
  ]);
  expect(await readCheckpoint(warehouse, stream.id, key)).toEqual({ next: 3 });
  const [quarantined] = await warehouse.query<{ reason: string; record: string }>(
    'SELECT reason, record FROM firn.quarantine',
  );
  expect(quarantined?.reason).toContain('height: expected a signed 64-bit integer, got "x"');
  expect(JSON.parse(quarantined?.record ?? '')).toEqual({ height: 'x' });
  expect(
    await warehouse.query('SELECT rows_in, rows_written, rows_quarantined, position_from, position_to FROM firn.load'),
  ).toEqual([{ rows_in: 3n, rows_written: 4n, rows_quarantined: 1n, position_from: null, position_to: '{"next":3}' }]);
});

test('a read on that brings nothing is no load', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const at = { next: 2 };
  const read = (raws: object[], to = at, others: object = {}) =>
    commitBatch(warehouse, { ...commit, batch: { ...batchOf(stream, raws), ...others }, from: at, to });
  const loads = async () =>
    (await warehouse.query<{ n: bigint }>('SELECT count(*) AS n FROM firn.load')).map(({ n }) => Number(n))[0];
  // The first look at a partition is one, whatever it brings.
  await commitBatch(warehouse, { ...commit, batch: batchOf(stream, []), from: null, to: at });
  await read([transfer(1)]);
  expect(await loads()).toBe(2);
  await read([]);
  await read([transfer(1)]);
  expect(await loads()).toBe(2);
  expect(await warehouse.query('SELECT "position", load_id FROM firn.checkpoint')).toEqual([
    { position: '{"next":2}', load_id: 2n },
  ]);
  // One that never had a row has no checkpoint.
  const other = { ...commit, partition: { ...partition, values: { chain_id: '1' } }, from: null, to: null };
  for (let i = 0; i < 2; i++) await commitBatch(warehouse, { ...other, batch: batchOf(stream, []) });
  expect(await loads()).toBe(3);
  const brought = [
    { quarantined: [{ record: '{}', reason: 'odd' }] },
    { gaps: [{ from: 1, to: 1 }] },
    { replayed: [1n] },
  ];
  for (const others of brought) await read([], at, others);
  await read([], at, { lookups: [{ key: 'a', outcome: 'missing' }] });
  // Each page that has a member names it, also where it is noted.
  const unknown = [{ member: 'm', example: '1' }];
  for (let i = 0; i < 2; i++) await read([], at, { unknown });
  expect(await loads()).toBe(8);
  await read([], at, { unknown: [...unknown, { member: 'n', example: '1' }] });
  await read([], { next: 3 });
  expect(await loads()).toBe(10);
});

test('rows that are told apart by a number alone are replaced together, and those of another key stay', async () => {
  const calls = callsStream();
  const warehouse = await temporaryWarehouse(tablesOf([calls]));
  const call = (to: string | null, value: string) => ({ height: 1, to, value });
  const write = (...raws: object[]) =>
    commitBatch(warehouse, { ...commit, stream: calls, batch: batchOf(calls, raws), from: null, to: null });
  const rows = () =>
    warehouse.query(`SELECT "to", value::VARCHAR AS value, "position" FROM raw.data_calls ORDER BY ALL`);
  await write(call('a', '1'), call('b', '1'), call('a', '1'), call(null, '1'));
  const held = [
    { to: 'a', value: '1', position: 0 },
    { to: 'a', value: '1', position: 1 },
    { to: 'b', value: '1', position: 0 },
    { to: null, value: '1', position: 0 },
  ];
  expect(await rows()).toEqual(held);
  // Another order is no other row.
  const again = await write(call(null, '1'), call('b', '1'), call('a', '1'), call('a', '1'));
  expect([again.rows, await rows()]).toEqual([0, held]);
  // Numbers that an earlier version gave by the place in the list go when the rows come again.
  await warehouse.run('UPDATE raw.data_calls SET "position" = "position" + 5');
  await write(call('a', '1'), call('a', '1'), call(null, '1'));
  expect(await rows()).toEqual(held.map((row) => (row.to === 'b' ? { ...row, position: 5 } : row)));
  // Fewer of them are a change, too.
  const fewer = await write(call('a', '1'));
  expect([fewer.rows, (await rows()).filter(({ to }) => to === 'a')]).toEqual([1, held.slice(0, 1)]);
});

test('where rows are read again at every sync, a part of those that are alike takes none away, and days that are read again do', async () => {
  const calls = callsStream();
  const warehouse = await temporaryWarehouse(tablesOf([calls]));
  const back = { ...partition, lookback: 100 };
  const write = async (rewrite: boolean, ...values: string[]) => {
    const batch = batchOf(
      calls,
      values.map((value) => ({ height: 1, to: 'a', value })),
    );
    const ready = { ...commit, stream: calls, partition: back, batch: prepareBatch(calls, back, batch, rewrite) };
    await warehouse.transaction((tx) => writeBatch(tx, { ...ready, from: null, to: null }));
    return (await warehouse.query('FROM raw.data_calls')).length;
  };
  expect(await write(false, '1', '1', '1')).toBe(3);
  expect(await write(false, '1', '1')).toBe(3);
  expect(await write(true, '1', '1')).toBe(2);
});

test('rows go by name into tables to which a newer version added columns', async () => {
  const folder = await temporary();
  const before = await temporaryWarehouse([], folder);
  for (const table of tables) {
    const columns = table.columns.filter(({ name }) => name !== 'note' && name !== 'amount_text');
    await before.run(createTableSql({ ...table, columns }));
  }
  before.close();
  const warehouse = await temporaryWarehouse(tables, folder);
  const wide = `${2n ** 256n - 1n}`;
  for (const value of ['10', '11']) {
    const batch = batchOf(stream, [{ ...transfer(1, ['5', wide], value), note: 'new' }]);
    await commitBatch(warehouse, { ...commit, batch, from: null, to: null });
    expect(await warehouse.query('SELECT value::VARCHAR AS value, note, _extra FROM raw.data_transfers')).toEqual([
      { value, note: 'new', _extra: null },
    ]);
    expect(
      await warehouse.query(
        'SELECT amount::VARCHAR AS amount, amount_text FROM raw.data_transfers_parts ORDER BY log_index',
      ),
    ).toEqual([
      { amount: '5', amount_text: null },
      { amount: null, amount_text: wide },
    ]);
  }
});

test('a page that comes again changes nothing, and a changed record replaces its row and children', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const first = batchOf(stream, [transfer(1, ['5', '6', '7']), transfer(2, ['8'])]);
  await commitBatch(warehouse, { ...commit, batch: first, from: null, to: null });
  const again = await commitBatch(warehouse, { ...commit, batch: first, from: null, to: null });
  expect([again.rows, again.childRows]).toEqual([0, 0]);
  const changed = batchOf(stream, [transfer(1, ['5', '60'], '11'), transfer(2, ['8'])]);
  const third = await commitBatch(warehouse, { ...commit, batch: changed, from: null, to: null });
  expect([third.rows, third.childRows]).toEqual([1, 1]);
  expect(
    await warehouse.query('SELECT height, value::VARCHAR AS value, _load_id FROM raw.data_transfers ORDER BY 1'),
  ).toEqual([
    { height: 1n, value: '11', _load_id: 2n },
    { height: 2n, value: '10', _load_id: 1n },
  ]);
  expect(
    await warehouse.query(
      'SELECT height, log_index, amount::VARCHAR AS amount FROM raw.data_transfers_parts ORDER BY 1, 2',
    ),
  ).toEqual([
    { height: 1n, log_index: 0, amount: '5' },
    { height: 1n, log_index: 1, amount: '60' },
    { height: 2n, log_index: 0, amount: '8' },
  ]);
});

test('a row that comes again with other children is counted with them', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const commits = (parts: string[]) =>
    commitBatch(warehouse, {
      ...commit,
      batch: batchOf(stream, [transfer(1, parts), transfer(2)]),
      from: null,
      to: null,
    });
  await commits(['5', '6']);
  // The row carries the second load's number, too: what is built from it is built again.
  expect(await commits(['5', '60'])).toEqual({ loadId: 2, rows: 1, childRows: 1 });
});

test('rows that come again without children leave none of them, whatever other rows of the batch have', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const commits = async (...parts: string[][]) => {
    const batch = batchOf(
      stream,
      parts.map((own, i) => transfer(i + 1, own)),
    );
    const { rows } = await commitBatch(warehouse, { ...commit, batch, from: null, to: null });
    const left = await warehouse.query('SELECT DISTINCT height FROM raw.data_transfers_parts ORDER BY 1');
    return [rows, left.map(({ height }) => Number(height))];
  };
  expect(await commits(['5', '6'], ['7'], ['8'])).toEqual([3, [1, 2, 3]]);
  expect(await commits([], ['7'], [])).toEqual([2, [2]]);
  expect(await commits([], [], [])).toEqual([1, []]);
});

test('a record that stands twice in a batch is one row, the later one', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const batch = batchOf(stream, [transfer(1, [], '1'), transfer(1, [], '2')]);
  expect((await commitBatch(warehouse, { ...commit, batch, from: null, to: null })).rows).toBe(1);
  expect(await warehouse.query('SELECT value::VARCHAR AS value FROM raw.data_transfers')).toEqual([{ value: '2' }]);
});

test('a checkpoint that another run moved stops the commit, and nothing of it stays', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const batch = batchOf(stream, [transfer(1)]);
  await commitBatch(warehouse, { ...commit, batch, from: null, to: { next: 2 } });
  const late = commitBatch(warehouse, {
    ...commit,
    batch: batchOf(stream, [transfer(9)]),
    from: null,
    to: { next: 10 },
  });
  await expect(late).rejects.toMatchObject({ code: 'locked', retryable: true });
  expect(await warehouse.query('SELECT height FROM raw.data_transfers')).toEqual([{ height: 1n }]);
  // The connection is usable after the rollback.
  await commitBatch(warehouse, {
    ...commit,
    batch: batchOf(stream, [transfer(2)]),
    from: { next: 2 },
    to: { next: 3 },
  });
  expect(await warehouse.query('SELECT count(*) AS n FROM raw.data_transfers')).toEqual([{ n: 2n }]);
});

test('commits wait for each other', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const heights = Array.from({ length: 20 }, (_, i) => i);
  await Promise.all(
    heights.map((height) =>
      commitBatch(warehouse, { ...commit, batch: batchOf(stream, [transfer(height)]), from: null, to: null }),
    ),
  );
  expect(await warehouse.query('SELECT count(*) AS n, max(load_id) AS last FROM firn.load')).toEqual([
    { n: 20n, last: 20n },
  ]);
});

test('unknown members are kept in _extra and recorded once of each stream', async () => {
  const warehouse = await temporaryWarehouse(tables);
  for (const [height, id] of [stream.id, stream.id, 'data/others'].entries()) {
    const batch = batchOf(stream, [{ ...transfer(height), surprise: { deep: [1, 2n ** 70n] } }]);
    await commitBatch(warehouse, { ...commit, stream: { ...stream, id }, batch, from: null, to: null });
  }
  expect(await warehouse.query('SELECT _extra FROM raw.data_transfers LIMIT 1')).toEqual([
    { _extra: `{"surprise":{"deep":[1,${2n ** 70n}]}}` },
  ]);
  expect(await warehouse.query('SELECT stream, member, load_id FROM firn.schema_change')).toEqual([
    { stream: stream.id, member: 'surprise', load_id: 1n },
    { stream: 'data/others', member: 'surprise', load_id: 3n },
  ]);
});

test('a key that is looked up again is noted anew, and in other partitions as it was', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const look = (chain_id: string, outcome: string, isAgain: boolean) => {
    const batch = { ...batchOf(stream, []), lookups: [{ key: 'k', outcome, isAgain }] };
    return commitBatch(warehouse, { ...commit, partition: { values: { chain_id } }, batch, from: null, to: null });
  };
  for (const chain of ['1', '2']) await look(chain, 'unconfirmed', false);
  await look('1', 'found', true);
  expect(await warehouse.query('SELECT "partition", outcome FROM firn.lookup ORDER BY 1')).toEqual([
    { partition: 'chain_id=1', outcome: 'found' },
    { partition: 'chain_id=2', outcome: 'unconfirmed' },
  ]);
});

test.each<[what: string, heights: number[], lacks: [from: number, to: number][], left: string, isAudited: boolean]>([
  ['below them', [1, 4], [], '5..9', true],
  ['above them', [10], [], '5..9', true],
  ['of some of them', [6, 7], [], '5..5 8..9', false],
  ['of the first', [4, 5], [], '6..9', false],
  ['of the last', [9, 12], [], '5..8', false],
  ['around them, which lacks some', [4, 10], [[5, 6]], '5..6', false],
  ['that says only what is missing', [], [[9, 12]], '5..8 9..12', false],
])('of positions 5..9, noted as missing, stay after a batch %s those that it does not tell of', async (...row) => {
  const [, heights, lacks, left, isAudited] = row;
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  await warehouse.run(
    `INSERT INTO firn.gap VALUES ('${heightsStream.id}', 'all', 5, 9, 1);
     INSERT INTO firn.audit_state (name, load_id) VALUES ('assert_x', 1)`,
  );
  const blocks = heights.map((height) => ({ height, name: 'a', id: `a ${height}`, parent: `a ${height - 1}` }));
  const batch = { ...batchOf(heightsStream, blocks), gaps: lacks.map(([from, to]) => ({ from, to })) };
  const of = { stream: heightsStream, partition: partitionOf(), runId: 'run', from: null, to: null };
  await commitBatch(warehouse, { ...of, batch });
  const gaps = await warehouse.query<{ gap: string }>(
    `SELECT from_position || '..' || to_position AS gap FROM firn.gap ORDER BY from_position`,
  );
  expect(gaps.map(({ gap }) => gap).join(' ')).toBe(left);
  expect((await warehouse.query('FROM firn.audit_state')).length > 0).toBe(isAudited);
});

test('served revisions are kept, each value once, with the time of its answer', async () => {
  const kept = transfersStream('slice', true);
  const warehouse = await temporaryWarehouse(tablesOf([kept]));
  const served: [string, number][] = [
    ['1', 10],
    ['1', 20],
    ['2', 30],
    ['1', 40],
  ];
  for (const [value, at] of served) {
    const batch = batchOf(kept, [transfer(1, [], value)], at * 1000);
    await commitBatch(warehouse, { ...commit, stream: kept, batch, from: null, to: null });
  }
  const revisions = await warehouse.query(
    'SELECT value::VARCHAR AS value, epoch(fetched_at)::INT AS at FROM raw.data_transfers_revisions ORDER BY 2',
  );
  expect(revisions).toEqual([
    { value: '1', at: 10 },
    { value: '2', at: 30 },
    { value: '1', at: 40 },
  ]);
});

test('a warehouse that was closed is found again as it was', async () => {
  const folder = await temporary();
  const warehouse = await openWarehouse({ folder, tables });
  await commitBatch(warehouse, { ...commit, batch: batchOf(stream, [transfer(1)]), from: null, to: { next: 2 } });
  warehouse.close();
  const again = await temporaryWarehouse(tables, folder);
  expect(await readCheckpoint(again, stream.id, key)).toEqual({ next: 2 });
  expect(await again.query('SELECT count(*) AS n FROM raw.data_transfers')).toEqual([{ n: 1n }]);
});

test('from where on a partition is read is noted at first, again once its checkpoint is gone, and where it was not noted, as its position says', async () => {
  const warehouse = await temporaryWarehouse(tables);
  const begunAfter = async (begin: string, from: number | null, to: number, at = {}) => {
    const batch = batchOf(stream, [transfer(to)]);
    await commitBatch(warehouse, {
      ...commit,
      batch,
      begin,
      from: from === null ? null : { ...at, next: from },
      to: { next: to },
    });
    return (await warehouse.query<{ from: string }>('SELECT "from" FROM firn.begun')).map((row) => row.from);
  };
  expect(await begunAfter('100', null, 1)).toEqual(['100']);
  expect(await begunAfter('50', 1, 2)).toEqual(['100']);
  await warehouse.run('DELETE FROM firn.checkpoint');
  expect(await begunAfter('50', null, 3)).toEqual(['50']);
  await warehouse.run('DELETE FROM firn.begun');
  expect(await begunAfter('70', 3, 4)).toEqual(['70']);
  await warehouse.run(
    `DELETE FROM firn.begun; UPDATE firn.checkpoint SET "position" = '{"next":4,"since":1771545600}'`,
  );
  expect(await begunAfter('2026-01-25', 4, 5, { since: 1_771_545_600 })).toEqual(['2026-02-20T00:00:00Z']);
  const other = { values: { chain_id: '1' } };
  const begin = '2026-02-20T00:00:00Z';
  const nothing = { ...commit, partition: other, batch: batchOf(stream, []), begin, from: null, to: null };
  await commitBatch(warehouse, nothing);
  expect(await warehouse.query('SELECT "from" FROM firn.begun')).toEqual([{ from: begin }, { from: begin }]);
  // Also where it is all that is to be noted.
  await warehouse.run('DELETE FROM firn.begun');
  await commitBatch(warehouse, nothing);
  expect(await warehouse.query('SELECT "from" FROM firn.begun')).toEqual([{ from: begin }]);
});
