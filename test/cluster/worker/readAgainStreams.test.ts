/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { type TestCluster, testCluster } from './lakeOfTests.ts';

const whole = {
  'node/containers': { indexes: ['P/block', 'X/block', 'C/block'] },
  'node/platform_blocks': {},
  'node/evm_blocks': { from: 20 },
};
const part = {
  'node/containers': { ...whole['node/containers'], decode: false },
  'node/platform_blocks': { hex: false },
  'node/evm_blocks': { ...whole['node/evm_blocks'], traces: false },
};

/** Reads with other streams than a cluster was opened with. */
const workWith = (cluster: TestCluster, streams: object) =>
  cluster.work(true, {
    settings: { ...cluster.settings, pipelines: { main: { ...cluster.settings.pipelines['main'], streams } } } as never,
  });

async function opened(more: Parameters<typeof startDevnet>[0] = {}) {
  const devnet = await startDevnet(more);
  onTestFinished(() => devnet.close());
  return devnet;
}

test('what was taken in part of all three streams is as if it had been read whole, once it is wanted', async () => {
  const devnet = await opened({ head: '4%' });
  const [cluster, quiet] = [await testCluster(devnet, part), await testCluster(devnet, whole)];
  await cluster.work();
  const before = await cluster.rows();
  expect(before['raw.node_containers_p_blocks']).toEqual([]);
  await workWith(cluster, whole);
  await quiet.work();
  const [ours, theirs] = [await cluster.rows(), await quiet.rows()];
  for (const [table, rows] of Object.entries(theirs)) expect({ table, rows: ours[table] }).toEqual({ table, rows });
  for (const table of ['node_containers_c_transactions', 'node_evm_traces', 'node_platform_transactions'])
    expect({ table, n: theirs[`raw.${table}`]?.length }).toEqual({ table, n: expect.toSatisfy((n: number) => n > 0) });
  // Read in part and whole once more, nothing becomes less.
  await workWith(cluster, part);
  await workWith(cluster, whole);
  expect(await cluster.rows()).toEqual(ours);
});

test('traces that a node could not give are asked for again, and take the place of what was said of them', async () => {
  const streams = { 'node/evm_blocks': { from: 1735, to: 1746 } };
  const devnet = await opened();
  devnet.configure({ stateBlocks: 1 });
  const [cluster, quiet] = [await testCluster(devnet, streams), await testCluster(devnet, streams)];
  const { control } = cluster.cluster;
  const asked = () => control.query('SELECT outcome, count(*)::integer AS n FROM firn.lookup GROUP BY 1');
  await cluster.work();
  const failed = (await cluster.rows())['raw.node_evm_trace_status'] ?? [];
  expect(failed.filter((row) => row.includes('"failed"')).length).toBeGreaterThan(4);
  await cluster.work(true);
  expect(await asked()).toEqual([{ outcome: '1', n: 4 }]);
  devnet.configure({ stateBlocks: Number.POSITIVE_INFINITY });
  // Another worker asks for no others within the hour.
  await cluster.work(true);
  expect(await asked()).toEqual([{ outcome: '1', n: 4 }]);
  await control.query(`UPDATE firn.load SET committed_at = committed_at - interval '2 hours'`);
  await cluster.work(true);
  await quiet.work();
  expect(await cluster.rows()).toEqual(await quiet.rows());
  expect((await asked()).every(({ outcome }) => Number(outcome) <= 2)).toBe(true);
});

test('days of blocks are read again, and what a node cannot give any more stays', async () => {
  const streams = { 'node/evm_blocks': { from: 1735, to: 1746 } };
  const devnet = await opened();
  const cluster = await testCluster(devnet, streams);
  await cluster.work();
  const before = await cluster.rows();
  const [row = ''] = before['raw.node_evm_blocks'] ?? [];
  const day = /\d{4}-\d\d-\d\d/.exec(row)?.[0] ?? '';
  const readAgain = async () => {
    await cluster.work(false, { backfill: { again: { first: day, last: day } } });
    const rows = await cluster.engine.query<{ blocks: bigint }>(
      'SELECT count(*) AS blocks FROM raw.node_evm_blocks_again_batches',
    );
    return Number(rows[0]?.blocks);
  };
  const inDay = (before['raw.node_evm_blocks'] ?? []).filter((one) => one.includes(day)).length;
  expect(inDay).toBeGreaterThan(4);
  expect(await readAgain()).toBe(inDay);
  expect(await cluster.rows()).toEqual(before);
  devnet.configure({ stateBlocks: 1 });
  const more = (await readAgain()) - inDay;
  expect(more).toBeLessThan(inDay);
  expect(await cluster.rows()).toEqual(before);
});
