/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { testCluster } from './lakeOfTests.ts';

test('what ends applying ends the worker, which gives its leases back', async () => {
  const devnet = await startDevnet({ head: '2%' });
  onTestFinished(() => devnet.close());
  const { work, cluster, engine } = await testCluster(devnet, { 'node/platform_validators': {} });
  await work(false, { readsOnly: true });
  await cluster.control.query(`UPDATE firn.batch_file SET committed_at = now() - interval '1 hour'`);
  const broken = { ...engine, ensureTable: () => Promise.reject(new TypeError('a mistake')) };
  await expect(work(true, { engine: broken, untilIdle: false })).rejects.toThrow('a mistake');
  expect(await cluster.control.query('SELECT 1 FROM firn.part WHERE lease_until > now()')).toEqual([]);
});

test('a stream whose key is another one than that of its rows is not read on', async () => {
  const devnet = await startDevnet({ head: '2%' });
  onTestFinished(() => devnet.close());
  const { work } = await testCluster(devnet, { 'node/platform_validators': {} });
  await work(false, { readsOnly: true });
  const changed = catalogue.map((stream) => ({ ...stream, table: { ...stream.table, key: ['node_id'] } }));
  const read: unknown[] = [];
  const again = work(true, { catalogue: changed as never, finished: (part) => read.push(part) });
  await expect(again).rejects.toMatchObject({ code: 'newer_warehouse' });
  expect(read).toEqual([]);
});
