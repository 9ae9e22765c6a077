/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { currentRows, parametersOf, syncOnce, withFolder } from '../../pipelines/standardHarness.ts';
import { testCluster } from './lakeOfTests.ts';

/** A stream of every way of reading, and those whose rows change or go. */
const chosen = [
  'node/containers',
  'node/platform_blocks',
  'node/platform_validators',
  'node/platform_supply',
  'node/platform_reward_utxos',
  'node/avm_transactions',
  'metrics/chain_metrics',
  'data/address_transactions',
  'data/address_internal_transactions',
  'data/latest_transactions',
  'data/transaction_details',
  'data/validators',
];

test('workers read what one machine reads, of every way: first all of it, then what is new', async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const all = await parametersOf(devnet);
  const streams = {
    ...Object.fromEntries(chosen.map((id) => [id, all[id] as object])),
    'node/containers': { indexes: ['P/block', 'X/block', 'X/tx'] },
    'node/platform_blocks': {},
    'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount', 'activeAddresses'], timeIntervals: ['day'] },
  };
  const cluster = await testCluster(devnet, streams);
  await withFolder(async (folder) => {
    for (const head of ['3%', '4%'] as const) {
      devnet.moveHead(head);
      const results = await syncOnce(folder, devnet, streams);
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      const failed: unknown[] = [];
      await cluster.work(true, {
        finished: (_, result) => {
          if (result.outcome === 'failed') failed.push(result);
        },
      });
      expect(failed).toEqual([]);
      const [theirs, ours] = [await cluster.rows(), await currentRows(folder)];
      for (const [table, rows] of Object.entries(ours)) expect({ table, rows: theirs[table] }).toEqual({ table, rows });
      expect(Object.values(ours).filter((rows) => rows.length > 0).length).toBeGreaterThan(20);
    }
  });
});
