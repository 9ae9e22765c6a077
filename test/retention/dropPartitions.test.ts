import { expect, test } from 'vitest';
import type { Layouts } from '../../src/core/columns/layout.ts';
import type { PublishSource } from '../../src/publish/files/publishSource.ts';
import { readCurrent } from '../../src/publish/manifest.ts';
import { publish } from '../../src/publish/publish.ts';
import { type DropOptions, dropPartitions } from '../../src/retention/dropPartitions.ts';
import { cut, layouts, sampleWarehouse } from '../publish/sampleWarehouse.ts';

// The newest block of the sample is of 2026-02-11; its months are 2025-12, 2026-01 and 2026-02.

test('the oldest months go, from blocks by their time and from transactions by the heights of their blocks', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`INSERT INTO raw.node_evm_transactions (chain_id, "number", tx_index, _load_id)
    SELECT chain_id, "number", 0, 1 FROM raw.node_evm_blocks`);
  await publish(warehouse, { ...cut, runId: 'r1' });
  const count = async (table: string, condition: string) =>
    Number((await warehouse.query(`SELECT count(*) AS n FROM raw.${table} WHERE ${condition}`))[0]?.['n']);
  const old = await count('node_evm_blocks', `"timestamp" < '2026-01-01'`);
  const first = `(SELECT min("number") FROM raw.node_evm_blocks WHERE "timestamp" >= '2026-01-01')`;
  const oldTransactions = await count('node_evm_transactions', `"number" < ${first}`);
  expect(old).toBeGreaterThan(0);
  const keep = { days: 30 };
  const gone = [
    { table: 'raw.node_evm_transactions', rows: oldTransactions },
    { table: 'raw.node_evm_blocks', rows: old },
  ];
  expect(await dropPartitions(warehouse, { layouts, keep, dryRun: true })).toEqual({
    before: '2026-01-01 00:00:00',
    dropped: gone,
    waiting: [],
  });
  expect(await count('node_evm_blocks', `"timestamp" < '2026-01-01'`)).toBe(old);
  const shown = async () => (await warehouse.query('FROM firn.publish_state')).length;
  expect(await shown()).toBe(1);
  expect(await dropPartitions(warehouse, { layouts, keep })).toMatchObject({ dropped: gone });
  // Views over what went are not as the version shows them.
  expect(await shown()).toBe(0);
  expect(await count('node_evm_transactions', `"number" < ${first}`)).toBe(0);
  expect(await publish(warehouse, { ...cut, runId: 'r2' })).toMatchObject({ version: 2 });
  const manifest = await readCurrent(warehouse.folder);
  const firsts = manifest?.tables.find(({ name }) => name === 'node_evm_blocks')?.files.map((file) => file.first);
  expect(firsts?.every((time) => time && time >= '2026-01-01')).toBe(true);
  expect(await dropPartitions(warehouse, { layouts, keep })).toMatchObject({ dropped: [] });
  expect(await shown()).toBe(1);
  expect(await warehouse.query('SELECT "table", "rows" FROM firn.dropped ORDER BY "rows"')).toEqual(
    gone.map(({ table, rows }) => ({ table, rows: BigInt(rows) })).sort((a, b) => Number(a.rows - b.rows)),
  );
});

test('where nothing is old no month is looked for, and tables by height ask once for the first that stays', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run('CREATE TABLE raw.node_evm_logs AS SELECT chain_id, "number" FROM raw.node_evm_blocks');
  const beside: Layouts = new Map([
    ...layouts,
    ...[...layouts].flatMap(([, layout]) => (layout.timesOf ? [['raw.node_evm_logs', layout] as const] : [])),
  ]);
  const asked: string[] = [];
  const seen = (sql: string) => {
    asked.push(sql);
    return sql;
  };
  const transaction: PublishSource['transaction'] = (work, keep) =>
    warehouse.transaction(
      (tx) =>
        work({
          run: (sql, values) => tx.run(seen(sql), values),
          query: (sql, values) => tx.query(seen(sql), values),
        }),
      keep,
    );
  await dropPartitions({ ...warehouse, transaction }, { layouts: beside, keep: { days: 36_500 } });
  expect(asked.filter((sql) => sql.includes('date_trunc'))).toEqual([]);
  expect(asked.filter((sql) => sql.includes('min('))).toHaveLength(1);
});

test.each([
  ['raw.node_evm_transactions', ['43114']],
  ['raw.node_evm_logs', []],
])('what was built stays as it is where rows went of %s, from which hours are built: %j', async (built, frozen) => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`INSERT INTO raw.node_evm_transactions (chain_id, "number", tx_index, _load_id)
      SELECT chain_id, "number", 0, 1 FROM raw.node_evm_blocks WHERE chain_id = '43114';
    CREATE TABLE mart.fct_block AS SELECT chain_id, "number", "timestamp" AS block_time, "timestamp" AS previous_time, 'rpc' AS source FROM raw.node_evm_blocks`);
  const tables = ['node_evm_transactions'];
  const { dropped } = await dropPartitions(warehouse, {
    layouts,
    tables,
    ofBlocks: new Set([built]),
    keep: { days: 30 },
  });
  expect(dropped).toHaveLength(1);
  const chains = await warehouse.query('SELECT chain_id FROM firn.frozen');
  expect(chains.map(({ chain_id }) => chain_id)).toEqual(frozen);
});

test('only named tables, and a name that cannot be cut or is needed whole is refused', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  const keep = { from: new Date('2026-01-20') };
  const tables = ['raw.node_evm_blocks'];
  await expect(
    dropPartitions(warehouse, { layouts, keep, tables, needed: new Set(['raw.node_evm_blocks']) }),
  ).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('every build makes tables') });
  expect(await dropPartitions(warehouse, { layouts, keep, tables })).toMatchObject({
    before: '2026-01-01 00:00:00',
    dropped: [{ table: 'raw.node_evm_blocks' }],
  });
  await expect(
    dropPartitions(warehouse, { layouts, keep, tables: ['node_platform_validators'] }),
  ).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('node_evm_blocks'),
  });
});

test('a chain that is quiet keeps its newest month, and a time far in the future lets nothing go', async () => {
  const warehouse = await sampleWarehouse();
  const months = () =>
    warehouse.query(
      `SELECT DISTINCT chain_id, strftime("timestamp", '%Y-%m') AS "month" FROM raw.node_evm_blocks ORDER BY ALL`,
    );
  await warehouse.run(`DELETE FROM raw.node_evm_blocks WHERE chain_id = '43114' AND "timestamp" >= '2026-01-01'`);
  await warehouse.run(
    `INSERT INTO raw.node_evm_blocks (chain_id, "number", "timestamp", _load_id) VALUES ('1', 1, '2262-01-01', 1)`,
  );
  await dropPartitions(warehouse, { layouts, keep: { days: 36_500 } });
  expect((await months()).length).toBe(5);
  await warehouse.run(`DELETE FROM raw.node_evm_blocks WHERE chain_id = '1'`);
  // The newest hour is a month's first: what comes in it needs the block before it.
  await warehouse.run(
    `INSERT INTO raw.node_evm_blocks (chain_id, "number", "timestamp", _load_id) VALUES
      ('1', 1, '2025-11-05', 1), ('1', 2, '2025-12-02', 1), ('1', 3, '2025-12-07', 1), ('1', 4, '2026-01-09 08:00:00', 1),
      ('1', 5, '2026-01-09 08:50:00', 1)`,
  );
  await warehouse.run(
    `INSERT INTO raw.node_evm_transactions (chain_id, "number", tx_index, _load_id)
     SELECT chain_id, "number", 0, 1 FROM raw.node_evm_blocks WHERE chain_id = '1'`,
  );
  await dropPartitions(warehouse, { layouts, keep: { days: 0 } });
  const stayed = `SELECT "number" FROM raw.node_evm_transactions WHERE chain_id = '1' ORDER BY ALL`;
  expect(await warehouse.query(stayed)).toEqual([2n, 3n, 4n, 5n].map((number) => ({ number })));
  expect(await months()).toEqual([
    { chain_id: '1', month: '2025-12' },
    { chain_id: '1', month: '2026-01' },
    { chain_id: '2oYMB/x y', month: '2026-02' },
    { chain_id: '43114', month: '2025-12' },
  ]);
});

test('months are counted from the newest row of all tables, whatever the others lack, also where a later moment is named', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`CREATE TABLE raw.node_late AS SELECT '1' AS chain_id, TIMESTAMP '2025-06-01' AS "at"`);
  const late = { chain: 'chain_id', by: { kind: 'time', column: 'at' }, sort: ['at'] } as const;
  const beside: Layouts = new Map([...layouts, ['raw.node_late', late]]);
  const before = async (keep: DropOptions['keep']) =>
    (await dropPartitions(warehouse, { layouts: beside, keep, dryRun: true })).before;
  expect(await before({ days: 30 })).toBe('2026-01-01 00:00:00');
  expect(await before({ from: new Date('2099-01-01') })).toBe('2026-02-01 00:00:00');
});

test('a local clock that is wrong lets nothing go: the days on which lists were read tell no age', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(
    'CREATE TABLE raw.node_platform_validators_daily AS SELECT 1 AS node_id, now()::TIMESTAMP AS "day"',
  );
  const beside: Layouts = new Map([
    ...layouts,
    ['raw.node_platform_validators_daily', { by: { kind: 'time', column: 'day' }, sort: ['day'], ofReads: true }],
  ]);
  const { before } = await dropPartitions(warehouse, { layouts: beside, keep: { days: 30 }, dryRun: true });
  expect(before).toBe('2026-01-01 00:00:00');
});

test('chains may be numbers, and children that have neither time nor height stay', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`CREATE TABLE raw.own AS SELECT i % 2 AS chain_no, TIMESTAMP '2025-11-01' + to_days(CAST(i AS INTEGER)) AS moment FROM range(100) AS r (i);
    CREATE TABLE raw.own_parts AS SELECT chain_no, 1 AS "position" FROM raw.own;
    CREATE TABLE raw.quiet AS SELECT moment FROM raw.own WHERE moment < TIMESTAMP '2025-12-15'`);
  const own: Layouts = new Map([
    ...layouts,
    ['raw.own', { chain: 'chain_no', by: { kind: 'time', column: 'moment' }, sort: ['moment'] }],
    ['raw.quiet', { by: { kind: 'time', column: 'moment' }, sort: ['moment'] }],
    ['raw.own_parts', { chain: 'chain_no', sort: ['chain_no'], timesOf: 'raw.own' }],
  ]);
  const { dropped } = await dropPartitions(warehouse, { layouts: own, keep: { days: 30 } });
  expect(dropped).toContainEqual({ table: 'raw.own', rows: 61 });
  // Without chains its own newest month stays.
  expect(dropped).toContainEqual({ table: 'raw.quiet', rows: 30 });
  expect(dropped.map(({ table }) => table)).not.toContain('raw.own_parts');
});
