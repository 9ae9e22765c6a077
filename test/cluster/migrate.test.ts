import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import type { StagedFile } from '../../src/cluster/contract.ts';
import { lakeTables } from '../../src/cluster/engine/lakeTables.ts';
import { migrateToCluster } from '../../src/cluster/migrate/migrateToCluster.ts';
import { migrateToMachine } from '../../src/cluster/migrate/migrateToMachine.ts';
import { usualSize } from '../../src/cluster/migrate/piecesOf.ts';
import { stageWarehouse } from '../../src/cluster/migrate/stageWarehouse.ts';
import { openFolder } from '../../src/cluster/stage/openFolder.ts';
import { FirnError } from '../../src/core/firnError.ts';
import type { Position } from '../../src/core/stream/partition.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { identifier, literal } from '../../src/core/text/sqlText.ts';
import { positionText } from '../../src/load/commit/checkpoints.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { currentRows, syncOnce, withFolder } from '../pipelines/standardHarness.ts';
import { listed } from './stage/listed.ts';
import { type TestCluster, testCluster } from './worker/lakeOfTests.ts';

/** What a worker is told. */
type TestWorker = NonNullable<Parameters<TestCluster['work']>[1]>;

const streams = {
  'node/containers': { indexes: ['P/block'] },
  'node/platform_blocks': {},
  'node/platform_validators': {},
  'node/platform_reward_utxos': {},
  'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'] },
  'data/latest_transactions': { chainIds: ['43112'], from: 0 },
  'data/transaction_details': { chainIds: ['43112'], budget: 20 },
};

/** Those of which it is known from where on they were read. */
const begun = ['data/latest_transactions', 'metrics/chain_metrics', 'node/platform_blocks'];

/** Migrates the warehouse in a folder. */
async function migrate(folder: string, { cluster, engine }: TestCluster, staged?: (file: StagedFile) => void) {
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    return await migrateToCluster({ warehouse, cluster, engine, catalogue, models: [] }, staged);
  } finally {
    warehouse.close();
  }
}

test('what one machine read is taken over whole, workers find no news in it, and read on', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const cluster = await testCluster(devnet, streams);
  const { control, stage } = cluster.cluster;
  await withFolder(async (folder) => {
    await syncOnce(folder, devnet, streams);
    const ours = await currentRows(folder);
    // It is killed half-way: the ledger has heard of nothing, and the next one goes on.
    let before = 0;
    const killed = migrate(folder, cluster, () => {
      if (++before === 3) throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await control.query('SELECT 1 FROM firn.batch_file UNION ALL SELECT 1 FROM firn.partition')).toEqual([]);
    await stage.write('raw.node_containers', 99_999, `${folder}/.state/migration.json`, 1);
    // Of another cluster, whose stage lies below this one.
    await stage.write('raw.second/node_containers', 1, `${folder}/.state/migration.json`, 1);
    const staged: StagedFile[] = [];
    const migrated = await migrate(folder, cluster, (file) => staged.push(file));
    expect(staged.map(({ uri }) => uri)).not.toContain(`${stage.root}node_containers/99999.parquet`);
    expect(await listed(stage)).toHaveLength(staged.length + 3 + 1 + 1);
    expect(migrated.rows).toBeGreaterThan(500);
    expect(await control.query('SELECT stream FROM firn.partition WHERE begun IS NOT NULL ORDER BY 1')).toEqual(
      begun.map((stream) => ({ stream })),
    );
    expect(await currentRows(folder)).toEqual(ours);
    await expect(migrate(folder, cluster)).rejects.toMatchObject({ code: 'config' });

    const read: string[] = [];
    const finished: TestWorker['finished'] = ({ stream }, { rows, childRows, outcome }) => {
      expect(outcome).toBe('done');
      if (rows + childRows > 0) read.push(stream);
    };
    await cluster.work(true, { finished });
    // Its newest row is read again each time: another one may stand in the same second.
    expect(read.splice(0).filter((stream) => stream !== 'data/latest_transactions')).toEqual([]);
    expect((await control.query('SELECT count(*) FROM firn.batch_file WHERE applied_at IS NULL'))[0]).toEqual({
      count: '0',
    });
    const theirs = await cluster.rows();
    for (const [table, rows] of Object.entries(ours)) expect({ table, rows: theirs[table] }).toEqual({ table, rows });

    devnet.moveHead('4%');
    await syncOnce(folder, devnet, streams);
    await cluster.work(true, { finished });
    expect(read).toEqual(expect.arrayContaining(['node/platform_blocks', 'node/containers']));
    const [later, rows] = [await cluster.rows(), await currentRows(folder)];
    for (const [table, own] of Object.entries(rows))
      expect({ table, rows: later[table] }).toEqual({ table, rows: own });
  });
});

const tables = lakeTables(catalogue);

/** Takes what a cluster read over into the warehouse of a folder. */
async function goBack(folder: string, { cluster, engine }: TestCluster, taken?: () => void) {
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    const migrated = await migrateToMachine({ warehouse, cluster, engine, tables, models: [] }, taken);
    for (const table of tables) await engine.ensureTable(table);
    const hashes = tables.map(({ name, columns }) => {
      const all = columns.map((column) => `"${column.name}"`).join(', ');
      return `SELECT '${name}' AS name, count(*) AS held, sum(hash(t)) AS content FROM (SELECT ${all} FROM ${name}) AS t`;
    });
    const sql = hashes.join(' UNION ALL ');
    const noted = await warehouse.query<{ stream: string }>('SELECT stream FROM firn.begun ORDER BY 1');
    const beside = `SELECT stream, "position" FROM firn.checkpoint WHERE "partition" LIKE '%|backfill'`;
    return {
      migrated,
      begun: noted.map(({ stream }) => stream),
      beside: await warehouse.query(beside),
      ours: await warehouse.query(sql),
      theirs: await engine.query(sql),
    };
  } finally {
    warehouse.close();
  }
}

test('what a cluster read goes back to one machine, which finds no news in it and reads on', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '4%' });
  onTestFinished(() => devnet.close());
  const cluster = await testCluster(devnet, streams);
  const { control, stage } = cluster.cluster;
  await withFolder(async (folder) => {
    await cluster.work(false, { readsOnly: true });
    await expect(goBack(folder, cluster)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('staged files are not part of the lake'),
    });
    await cluster.work(true);
    await control.query(`INSERT INTO firn.lake_change (table_name, statement) VALUES ('raw.x', 'UPDATE raw.x')`);
    await expect(goBack(folder, cluster)).rejects.toMatchObject({ message: expect.stringContaining('run firn build') });
    await control.query('DELETE FROM firn.lake_change');
    await control.query(
      `INSERT INTO firn.quarantine (load_id, number, stream, partition, reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id)
       VALUES (1, 0, 'node/platform_blocks', 'all', 'why', '{"a":1}', 'h', 3, now(), now(), 1)`,
    );
    // Backfills that were interrupted: one of positions has nothing to go on from.
    const at = '{"asked":"2026-01-01","at":null,"to":null}';
    await control.query(
      `INSERT INTO firn.part (stream, partition, beside, cursor) SELECT stream, partition, 'backfill', CASE WHEN joined_to IS NULL THEN $1 END
       FROM firn.partition WHERE stream IN ('data/latest_transactions', 'node/platform_blocks')`,
      [at],
    );
    let before = 0;
    const killed = goBack(folder, cluster, () => {
      if (++before === 3) throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    const { migrated, ours: back, theirs: kept, ...noted } = await goBack(folder, cluster);
    expect(noted).toEqual({ begun, beside: [{ stream: 'data/latest_transactions', position: at }] });
    expect(migrated.rows).toBeGreaterThan(500);
    expect(back).toEqual(kept);
    expect((await listed(stage)).filter(({ uri }) => uri.includes('/unload/'))).toEqual([]);
    await expect(goBack(folder, cluster)).rejects.toMatchObject({ code: 'config' });
    const again = await syncOnce(folder, devnet, streams);
    expect(again.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
    expect(again.filter(({ rows, stream }) => rows > 0 && stream !== 'data/latest_transactions')).toEqual([]);
    devnet.moveHead('5%');
    await syncOnce(folder, devnet, streams);
    await cluster.work(true);
    const [ours, theirs] = [await currentRows(folder), await cluster.rows()];
    for (const [table, rows] of Object.entries(ours)) expect({ table, rows: theirs[table] }).toEqual({ table, rows });
    expect(ours['raw.node_platform_blocks']?.length).toBeGreaterThan(0);
  });
});

test('what workers read in part is known as such on one machine, which reads it whole, and in the next cluster', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const read = (decode: boolean) => ({ 'node/containers': { indexes: ['P/block'], decode } });
  const part = await testCluster(devnet, read(false));
  await withFolder(async (folder) => {
    await part.work();
    devnet.moveHead('4%');
    await part.work(true);
    // As an older version made it.
    await part.engine.run('ALTER TABLE raw.node_containers DROP COLUMN decode_error');
    await goBack(folder, part);
    const next = await testCluster(devnet, read(false));
    await migrate(folder, next);
    expect(await next.cluster.control.query('SELECT part_from FROM firn.partition')).toEqual([{ part_from: '0' }]);
    await syncOnce(folder, devnet, read(true));
    const { 'raw.node_containers': containers, 'raw.node_containers_p_blocks': blocks } = await currentRows(folder);
    expect(blocks?.length).toBeGreaterThan(0);
    expect(blocks?.length).toBe(containers?.length);
  });
  const { main } = part.settings.pipelines;
  const settings = { ...part.settings, pipelines: { main: { ...main, streams: read(true) } } } as typeof part.settings;
  await part.work(true, { settings });
  const { 'raw.node_containers': containers, 'raw.node_containers_p_blocks': blocks, ...others } = await part.rows();
  expect(blocks?.length).toBe(containers?.length);
  // What was read again goes along in the place of what was there.
  await withFolder(async (folder) => {
    await goBack(folder, part);
    const ours = await currentRows(folder);
    expect(ours['raw.node_containers']).toEqual(containers);
    expect(ours['raw.node_containers_p_blocks']).toEqual(blocks);
    expect(ours['raw.node_containers_p_transactions']).toEqual(others['raw.node_containers_p_transactions']);
  });
});

test('what was dropped because of its age stays away in a cluster, too, and back on one machine', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const table = 'raw.data_latest_transactions';
  // As far as nothing reaches that is held.
  const read = { 'data/latest_transactions': { chainIds: ['43112'], from: 0, lookback: '900d' } };
  const cluster = await testCluster(devnet, read);
  const dropped = async (folder: string, more = '') => {
    const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
    if (more) await warehouse.run(more);
    const rows = await warehouse.query('FROM firn.dropped');
    warehouse.close();
    return rows;
  };
  await withFolder(async (folder) => {
    await syncOnce(folder, devnet, read);
    const before = await dropped(
      folder,
      `DELETE FROM ${table} WHERE block_number < (SELECT max(block_number) - 3 FROM ${table});
       INSERT INTO firn.dropped SELECT '${table}', min(block_timestamp), 50, now()::TIMESTAMP FROM ${table}`,
    );
    const { [table]: kept } = await currentRows(folder, table);
    await migrate(folder, cluster);
    for (const _ of [1, 2]) {
      await cluster.work(true);
      expect((await cluster.rows())[table]).toEqual(kept);
    }
    const said: unknown[] = [];
    const finished: TestWorker['finished'] = (_, { message }) => void said.push(message);
    await cluster.work(false, { backfill: { again: { first: '2026-01-19', last: '2026-01-19' } }, finished });
    expect(said).toContainEqual(expect.stringContaining('older rows were dropped because of their age'));
    await withFolder(async (back) => {
      await goBack(back, cluster);
      expect(await dropped(back)).toEqual(before);
      await syncOnce(back, devnet, read);
      expect((await currentRows(back, table))[table]).toEqual(kept);
    });
  });
});

test('backfills that are not over are read on by workers, of positions as a stretch', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '2%' });
  onTestFinished(() => devnet.close());
  const from = (position: number) => ({
    'node/platform_blocks': { from: position },
    'data/latest_transactions': { chainIds: ['43112'], from: position },
  });
  const [whole, cluster] = [await testCluster(devnet, from(0)), await testCluster(devnet, from(20))];
  await whole.work();
  await withFolder(async (folder) => {
    await syncOnce(folder, devnet, from(20));
    const warehouse = await openWarehouse({ folder, tables: [] });
    const beside = (stream: string, asked: string, at: Position | null) =>
      warehouse.run(
        `INSERT INTO firn.checkpoint SELECT stream, "partition" || '|backfill', $2, load_id, updated_at FROM firn.checkpoint WHERE stream = $1`,
        [stream, positionText({ asked, to: { height: 20 }, at })],
      );
    await beside('node/platform_blocks', '-30000d', { next: 0, last: 19 });
    await beside('data/latest_transactions', '0', null);
    warehouse.close();
    expect(await migrate(folder, cluster)).toMatchObject({ partitions: 2 });
  });
  const { control } = cluster.cluster;
  expect(
    await control.query('SELECT stream, first_position, last_position, beside FROM firn.part ORDER BY id'),
  ).toEqual([
    { stream: 'data/latest_transactions', first_position: null, last_position: null, beside: null },
    { stream: 'data/latest_transactions', first_position: null, last_position: null, beside: 'backfill' },
    { stream: 'node/platform_blocks', first_position: null, last_position: null, beside: null },
    { stream: 'node/platform_blocks', first_position: '0', last_position: '19', beside: null },
  ]);
  // An age would mean another day each time.
  expect(await control.query("SELECT begun FROM firn.partition WHERE stream = 'node/platform_blocks'")).toEqual([
    { begun: '1970-01-01T00:00:00Z' },
  ]);
  await cluster.work();
  await cluster.work(true, { backfill: { from: '0' } });
  await cluster.work(true);
  expect(await cluster.rows()).toEqual(await whole.rows());
  expect(await control.query(`SELECT begun FROM firn.partition`)).toEqual([{ begun: '0' }, { begun: '0' }]);
  expect(await control.query('SELECT 1 FROM firn.part WHERE first_position IS NOT NULL OR beside IS NOT NULL')).toEqual(
    [],
  );
});

test.each([
  ['days that are read again', ['again 2026-01-01..2026-01-02', { asked: '2026-01-01..2026-01-02', at: {} }], true],
  ['positions of which none was read', ['backfill', { asked: '-9d', at: null }], true],
  ['positions whose checkpoint was forgotten', ['backfill', { asked: '7', at: {} }], false],
] as const)(
  'a warehouse whose backfill, of %s, no cluster reads on is not taken over',
  {
    tags: 'long',
  },
  async (_, [beside, position], isBeside) => {
    const cluster = await testCluster({ url: 'http://127.0.0.1:1' }, streams);
    await withFolder(async (folder) => {
      const warehouse = await openWarehouse({ folder, tables: [] });
      const keys = [`all|${beside}`, ...(isBeside ? ['all'] : [])];
      for (const key of keys)
        await warehouse.run(
          `INSERT INTO firn.checkpoint VALUES ('node/containers', '${key}', '${JSON.stringify(position)}', 1, now()::TIMESTAMP)`,
        );
      warehouse.close();
      const option = beside === 'backfill' ? '--from' : '--again';
      await expect(migrate(folder, cluster)).rejects.toMatchObject({
        code: 'config',
        message: expect.stringContaining(`"firn backfill node/containers ${option} ${position.asked}" to its end`),
      });
    });
  },
);

test('a warehouse, or a cluster, that holds what nothing declares any more is not taken over: it would stay behind', {
  tags: 'long',
}, async () => {
  const target = await testCluster({ url: 'http://127.0.0.1:1' }, {});
  const { cluster, engine } = target;
  await withFolder(async (folder) => {
    const warehouse = await openWarehouse({ folder, tables: [] });
    onTestFinished(() => warehouse.close());
    await cluster.control.query(
      `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256, applied_at) VALUES (1, 'raw.own_things', 'x', 1, 1, '', now())`,
    );
    const back = migrateToMachine({ warehouse, cluster, engine, tables: lakeTables(catalogue), models: [] });
    await expect(back).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/raw\.own_things.*extend/),
    });
    await cluster.control.query('DELETE FROM firn.batch_file');
    await warehouse.run(`INSERT INTO firn.checkpoint VALUES ('own/things', 'all', '{"next":5}', 1, now()::TIMESTAMP)`);
    const over = migrateToCluster({ warehouse, cluster, engine, catalogue, models: [] });
    await expect(over).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('"firn state drop own/things"'),
    });
  });
});

test('one that stood still while another one took over notes nothing: that one removes files that it did not stage', {
  tags: 'long',
}, async () => {
  const cluster = await testCluster({ url: 'http://127.0.0.1:1' }, {});
  const alone: TestCluster['cluster']['ledger']['alone'] = (_, work) =>
    work(() => Promise.reject(new FirnError('locked', 'Another process took over.')));
  const late = { ...cluster, cluster: { ...cluster.cluster, ledger: { ...cluster.cluster.ledger, alone } } };
  await withFolder(async (folder) => {
    await expect(migrate(folder, late)).rejects.toMatchObject({ code: 'locked' });
  });
});

test.each([
  ['rows', { rows: 20, bytes: 1e9 }],
  ['bytes', { rows: 1_000, bytes: 5_000 }],
])(
  'tables are cut by %s into files, each row into one of them, whatever was staged before',
  {
    tags: 'long',
  },
  async (_, size) => {
    const devnet = await startDevnet({ head: '3%' });
    onTestFinished(() => devnet.close());
    await withFolder(async (folder) => {
      await syncOnce(folder, devnet, streams);
      const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
      onTestFinished(() => warehouse.close());
      const stage = openFolder(join(folder, '.state', 'stage'));
      const take = (to: typeof size) => stageWarehouse({ warehouse, stage, catalogue, models: [], size: to }, 'id');
      // Killed under a version that cut otherwise.
      await take(usualSize);
      const { files } = await take(size);
      for (const id of ['node/containers', 'data/latest_transactions']) {
        const [table] = tablesOf(catalogue.filter((one) => one.id === id));
        const own = files.filter((file) => file.table === table?.name);
        expect(own.length).toBeGreaterThan(2);
        const columns = table?.columns.map(({ name }) => identifier(name)).join(', ');
        const [held, staged] = [
          table?.name,
          `read_parquet([${own.map(({ uri }) => literal(fileURLToPath(uri))).join(', ')}])`,
        ];
        const [apart] = await warehouse.query(
          `SELECT (SELECT count(*) FROM (SELECT ${columns} FROM ${held} EXCEPT ALL SELECT ${columns} FROM ${staged})) AS lost,
           (SELECT count(*) FROM (SELECT ${columns} FROM ${staged} EXCEPT ALL SELECT ${columns} FROM ${held})) AS more`,
        );
        expect({ id, ...apart }).toEqual({ id, lost: 0n, more: 0n });
      }
    });
  },
);

test('PostgreSQL does not wait in a transaction for a search through a large table', { tags: 'long' }, async () => {
  const { cluster, engine } = await testCluster({ url: 'http://127.0.0.1:1' }, {});
  const transaction: typeof cluster.control.transaction = (work) =>
    cluster.control.transaction(async (sql) => {
      await sql.query(`SET LOCAL idle_in_transaction_session_timeout = '2s'`);
      return work(sql);
    });
  const impatient = { ...cluster, control: { ...cluster.control, transaction } };
  await withFolder(async (folder) => {
    const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
    onTestFinished(() => warehouse.close());
    await warehouse.run(
      `INSERT INTO firn.checkpoint VALUES ('node/platform_blocks', 'all', '{"next":5}', 1, now()::TIMESTAMP)`,
    );
    let searches = 0;
    const query: typeof warehouse.query = async (sql, values) => {
      if (/FROM raw.node_platform_blocks WHERE \S+ = 4/.test(sql) && ++searches) await sleep(4000);
      return warehouse.query(sql, values);
    };
    const slow = { ...warehouse, query };
    await migrateToCluster({ warehouse: slow, cluster: impatient, engine, catalogue, models: [] });
    expect(searches).toBe(1);
  });
});

test('records in quarantine go over some at a time, in their order', { tags: 'long' }, async () => {
  const cluster = await testCluster({ url: 'http://127.0.0.1:1' }, {});
  const { control } = cluster.cluster;
  const sizes: number[] = [];
  const transaction: typeof control.transaction = (work) =>
    control.transaction((sql) =>
      work({
        query<R extends object>(text: string, values?: readonly unknown[]) {
          if (text.startsWith('INSERT INTO firn.quarantine')) sizes.push(JSON.parse(String(values?.[0])).length);
          return sql.query<R>(text, values);
        },
      }),
    );
  const counted = { ...cluster, cluster: { ...cluster.cluster, control: { ...control, transaction } } };
  await withFolder(async (folder) => {
    const warehouse = await openWarehouse({ folder, tables: [] });
    await warehouse.run(
      `INSERT INTO firn.quarantine BY NAME SELECT n AS id, 1 AS load_id, 205 - n AS "number", 's' AS stream, 'all' AS "partition", 'why' AS reason, 'says ' || n AS record,
         n::VARCHAR AS record_hash, 1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id FROM range(205) AS r (n)`,
    );
    warehouse.close();
    await migrate(folder, counted);
  });
  expect(sizes).toEqual([100, 100, 5]);
  const held = await control.query<{ record: string }>('SELECT record FROM firn.quarantine ORDER BY id');
  expect(held.map(({ record }) => record)).toEqual(Array.from({ length: 205 }, (_, n) => `says ${n}`));
});
