/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { project, sourcesOf } from './cliHarness.ts';

test('a full refresh builds what was changed by hand from its rows anew; a build alone leaves it', async () => {
  const net = await startDevnet({ head: '12%' });
  onTestFinished(() => net.close());
  const streams = {
    'node/evm_blocks': { blockchainIds: ['C'], traces: false },
    'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'], from: '2026-01-01' },
  };
  const { firn, query, open } = await project(
    { sources: sourcesOf(net), pipelines: { main: { streams } } },
    { isBuilt: true },
  );
  const rows = () => query('FROM mart.metric ORDER BY ALL');
  const run = async () => (await firn('--json', 'run')).json;
  const { reconciliation } = await run();
  expect(reconciliation).toMatchObject({ differs: 0 });
  const before = await rows();

  const change = async (sql: string) => {
    const state = await open();
    await state.run(sql);
    state.close();
  };
  await change(`UPDATE mart.metric SET numerator = numerator + 1 WHERE metric = 'txCount'`);
  expect((await firn('--json', 'reconcile')).json.reconciliation.counts).not.toEqual(reconciliation.counts);
  await firn('build');
  const changed = await rows();
  expect(changed).not.toEqual(before);

  expect((await firn('build', '--full-refresh')).code).toBe(0);
  expect(await rows()).toEqual(before);
  expect((await run()).reconciliation.counts).toEqual(reconciliation.counts);

  await change('DELETE FROM raw.node_evm_logs WHERE log_index = 0');
  expect((await firn('build')).code).toBe(0);
  expect((await firn('build', '--full-refresh')).code).toBe(3);
});
