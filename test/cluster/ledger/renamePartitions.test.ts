/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { changeOldRows } from '../../../src/cluster/lake/changeOldRows.ts';
import type { OpenWorkerOptions } from '../../../src/cluster/worker/openWorker.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { currentRows, syncOnce, withFolder } from '../../pipelines/standardHarness.ts';
import { testCluster } from '../worker/lakeOfTests.ts';

const validators = 'node/platform_validators';
const listOf = (nodeIds: readonly string[], delegators = true) => ({ [validators]: { nodeIds, delegators } });

/** A network, three of its nodes, and a cluster that read the first two. */
async function opened() {
  const devnet = await startDevnet({ head: '60%' });
  onTestFinished(() => devnet.close());
  const nodes = await withFolder(async (folder) => {
    await syncOnce(folder, devnet, { [validators]: { delegators: false } });
    const { 'raw.node_platform_validators': rows = [] } = await currentRows(folder);
    return [...new Set(rows.map((row) => /NodeID-\w+/.exec(row)?.[0] ?? ''))];
  });
  const [a = '', b = '', c = ''] = nodes;
  const cluster = await testCluster(devnet, listOf([a, b]));
  await cluster.work();
  const workWith = (streams: object, more: Partial<OpenWorkerOptions> = {}) => {
    const main = { ...cluster.settings.pipelines['main'], streams };
    return cluster.work(true, { settings: { ...cluster.settings, pipelines: { main } } as never, ...more });
  };
  const { control, ledger } = cluster.cluster;
  const partitions = async () =>
    (await control.query<{ partition: string }>('SELECT partition FROM firn.partition ORDER BY 1')).map((row) =>
      row.partition.replace(/^.*(?=node_ids)/, ''),
    );
  return { devnet, cluster, control, ledger, workWith, partitions, nodes: { a, b, c } };
}

test('a list of nodes that changes goes on where it was: what is current is what it lists', async () => {
  const { devnet, cluster, control, workWith, partitions, nodes } = await opened();
  const { a, c } = nodes;
  for (const list of [listOf([a, c]), listOf([a, c], false), listOf([a, c])]) {
    // Two begin at once.
    await Promise.all([workWith(list), workWith(list)]);
    const theirs = await cluster.rows();
    await withFolder(async (folder) => {
      await syncOnce(folder, devnet, list);
      const ours = await currentRows(folder);
      for (const table of ['raw.node_platform_validators', 'raw.node_platform_delegators'])
        expect({ table, rows: theirs[table] }).toEqual({ table, rows: ours[table] });
    });
  }
  expect(await partitions()).toHaveLength(1);
  expect(await control.query('SELECT count(DISTINCT partition)::integer AS n FROM firn.load')).toEqual([{ n: 1 }]);
});

test('whoever reads the old list loses it, and reads it no more', async () => {
  const { control, ledger, workWith, partitions, nodes } = await opened();
  const { a, b, c } = nodes;
  const [old] = await control.query<{ partition: string }>('SELECT partition FROM firn.partition');
  const of = { stream: validators, partition: old?.partition ?? '' };
  const held = await ledger.leaseWhole({ ...of, owner: 'old', ms: 60_000 });
  expect(held).not.toBeNull();
  const said: unknown[] = [];
  await workWith(listOf([a, c]), { finished: (_, { outcome }) => said.push(outcome) });
  expect(said).toEqual(['done']);
  expect(held && (await ledger.renew(held, 60_000))).toBe('fenced');
  expect(await ledger.lease({ owner: 'old', ms: 60_000, partitions: [of] })).toBeNull();
  // One that could go on as either of two goes on as neither.
  await ledger.enlist([of]);
  await workWith(listOf([b, c]));
  expect(await partitions()).toHaveLength(3);
});

test('loads in the lake have the new name of their partition, and no model is built for that', async () => {
  const { cluster, control, ledger, workWith, nodes } = await opened();
  const { engine } = cluster;
  const name = 'firn.load';
  const columns = ['stream', 'partition'].map((column) => ownColumn(column, 'varchar'));
  await engine.ensureTable({ name, columns });
  const [old] = await control.query<{ partition: string }>('SELECT partition FROM firn.partition');
  const held = [old?.partition, 'other'].map((key, row) => `('${validators}', '${key}', 1, ${row})`);
  await engine.run(`INSERT INTO ${engine.name(name)} VALUES ${held.join(', ')}`);
  await control.query(`INSERT INTO firn.build (models_hash, snapshots, is_whole) VALUES ('same', '{}', true)`);
  await workWith(listOf([nodes.a, nodes.c]));
  await changeOldRows({ control, engine, ledger, tables: [] });
  const [now] = await control.query<{ partition: string }>('SELECT partition FROM firn.partition');
  expect(now?.partition).not.toBe(old?.partition);
  expect(await engine.query(`SELECT "partition" FROM ${engine.name(name)} ORDER BY firn_row`)).toEqual([
    now,
    { partition: 'other' },
  ]);
  expect(await control.query('SELECT models_hash FROM firn.build')).toEqual([{ models_hash: 'same' }]);
  expect(await control.query('SELECT 1 FROM firn.lake_change')).toEqual([]);
});
