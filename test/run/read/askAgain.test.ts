import { afterEach, expect, test } from 'vitest';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import { type NodeHarness, startNodeHarness } from '../../pipelines/node/nodeHarness.ts';
import { startProxy } from '../../pipelines/node/startProxy.ts';

let harness: NodeHarness;
afterEach(() => harness.close());

const window = { from: 1740, to: 1746 };
const streams = { 'node/evm_blocks': window };
const pruned = { stateBlocks: 1 };
const whole = { stateBlocks: Number.POSITIVE_INFINITY };
const statuses = () =>
  harness.query('SELECT trace_status, count(*) AS n FROM raw.node_evm_trace_status GROUP BY ALL ORDER BY 1');
const rows = (table: string) => harness.query(`SELECT * EXCLUDE _load_id FROM ${table} ORDER BY ALL`);
const tables = ['raw.node_evm_traces', 'raw.node_evm_trace_status', 'raw.node_evm_blocks', 'raw.node_evm_receipts'];
const asked = () => harness.query('SELECT outcome, count(*) AS n FROM firn.lookup GROUP BY ALL ORDER BY 1');

test('traces that a node could not give are asked for again by the next run, and then no more', {
  tags: 'long',
}, async () => {
  harness = await startNodeHarness([evmBlocks], pruned);
  const [first] = await harness.sync(streams);
  expect(first?.notes).toEqual([expect.stringContaining('Later runs ask for them again')]);
  const [{ n } = { n: 0n }] = await harness.query<{ n: bigint }>(
    `SELECT count(*) AS n FROM raw.node_evm_trace_status WHERE trace_status = 'failed'`,
  );
  expect(n).toBeGreaterThan(4n);
  harness.devnet.configure(whole);
  const [second] = await harness.sync(streams);
  expect(second).toMatchObject({ outcome: 'done' });
  expect(second).not.toHaveProperty('notes');
  expect(await statuses()).toEqual([{ trace_status: 'traced', n }]);
  const healed = await Promise.all(tables.map(rows));
  const [third] = await harness.sync(streams);
  expect(third?.childRows).toBe(0);
  const quiet = await startNodeHarness([evmBlocks]);
  const { close } = harness;
  await close();
  harness = quiet;
  await harness.sync(streams);
  expect(healed).toEqual(await Promise.all(tables.map(rows)));
});

test('a node that never can is asked for a few of them a run, and five times for each', { tags: 'long' }, async () => {
  harness = await startNodeHarness([evmBlocks], pruned);
  const proxy = await startProxy(harness.devnet.url, async () => undefined);
  const traced = () => proxy.calls.filter(({ method }) => method === 'debug_traceBlockByNumber').length;
  await harness.sync(streams, proxy.url);
  const before = await statuses();
  const blocks = await harness.value('SELECT count(DISTINCT "number") FROM raw.node_evm_trace_status');
  const perRun: number[] = [];
  for (let run = 0; run < 5 * Number(blocks); run++) {
    const already = traced();
    await harness.sync(streams, proxy.url);
    if (traced() === already) break;
    perRun.push(traced() - already);
  }
  // Four blocks, three times each.
  expect(Math.max(...perRun)).toBe(12);
  expect(await asked()).toEqual([{ outcome: '5', n: blocks }]);
  expect(await statuses()).toEqual(before);
});

test.each([
  ['a block that is', '< 1746', 6n],
  ['the first block, which follows no other, where it is', '= 1740', 1n],
])(
  'of %s another one by now nothing is taken, and nothing is asked for where no traces are wanted',
  {
    tags: 'long',
  },
  async (_, which, others) => {
    harness = await startNodeHarness([evmBlocks], pruned);
    await harness.sync(streams);
    harness.devnet.configure(whole);
    await harness.sync({ 'node/evm_blocks': { ...window, traces: false } });
    expect(await asked()).toEqual([]);
    await harness.warehouse.run(`UPDATE raw.node_evm_blocks SET hash = '0x00' WHERE "number" ${which}`);
    expect(await harness.sync(streams)).toMatchObject([{ outcome: 'done' }]);
    expect(await harness.value(`SELECT count(*) FROM raw.node_evm_blocks WHERE hash = '0x00'`)).toBe(others);
  },
);

test('nothing is asked for again that the checkpoint says is still to be read', { tags: 'long' }, async () => {
  harness = await startNodeHarness([evmBlocks], pruned);
  await harness.sync(streams);
  await harness.warehouse.run(
    `UPDATE firn.checkpoint SET "position" = '{"next":1742}' WHERE stream = 'node/evm_blocks'`,
  );
  expect(await harness.sync(streams)).toMatchObject([{ outcome: 'done' }]);
  const keys = await harness.query<{ key: string }>('SELECT "key" FROM firn.lookup ORDER BY ALL');
  expect(keys.map(({ key }) => key)).toEqual(['1740', '1741']);
});
