import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import type { StagedFile } from '../../src/cluster/contract.ts';
import { migrateToCluster } from '../../src/cluster/migrate/migrateToCluster.ts';
import { tablesOf } from '../../src/core/stream.ts';
import { openWarehouse } from '../../src/load/warehouse.ts';
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

/** Migrates the warehouse in a folder. */
async function migrate(folder: string, { cluster }: Pick<TestCluster, 'cluster'>, staged?: (file: StagedFile) => void) {
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    return await migrateToCluster({ warehouse, cluster, catalogue }, staged);
  } finally {
    warehouse.close();
  }
}

test('what one machine read is taken over whole, workers find no news in it, and read on', async () => {
  const devnet = await startDevnet({ head: '6%' });
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
    const staged: StagedFile[] = [];
    const migrated = await migrate(folder, cluster, (file) => staged.push(file));
    expect(staged.map(({ uri }) => uri)).not.toContain(`${stage.root}node_containers/99999.parquet`);
    expect(await listed(stage)).toHaveLength(staged.length + 3 + 1);
    expect(migrated.rows).toBeGreaterThan(1000);
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

    devnet.moveHead('7%');
    await syncOnce(folder, devnet, streams);
    await cluster.work(true, { finished });
    expect(read).toEqual(expect.arrayContaining(['node/platform_blocks', 'node/containers']));
    const [later, rows] = [await cluster.rows(), await currentRows(folder)];
    for (const [table, own] of Object.entries(rows))
      expect({ table, rows: later[table] }).toEqual({ table, rows: own });
  });
});

test('a warehouse whose backfill is not over is not taken over', async () => {
  const cluster = await testCluster({ url: 'http://127.0.0.1:1' }, streams);
  await withFolder(async (folder) => {
    const warehouse = await openWarehouse({ folder, tables: [] });
    await warehouse.run(
      `INSERT INTO firn.checkpoint VALUES ('node/containers', 'all|backfill', '{}', 1, now()::TIMESTAMP)`,
    );
    warehouse.close();
    await expect(migrate(folder, cluster)).rejects.toMatchObject({
      code: 'config',
      message: /backfill of node\/containers/,
    });
  });
});
