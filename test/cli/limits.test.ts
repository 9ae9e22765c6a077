import { readLedger, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import { project, sourcesOf } from './cliHarness.ts';

vi.setConfig({ testTimeout: 300_000 });

const ledger = readLedger();

async function home() {
  const devnet = await startDevnet({ ledger: await ledger });
  onTestFinished(() => devnet.close());
  const chainIds = [String((await ledger).c.evmChainId)];
  const streams = {
    'node/evm_blocks': { blockchainIds: ['C'], from: '-2d', traces: false },
    'metrics/chain_metrics': { chainIds, metrics: ['txCount', 'gasUsed'], timeIntervals: ['day'] },
    'data/latest_transactions': { chainIds, from: '-10d' },
    'data/primary_transactions': { from: '-8d' },
  };
  return project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } }, { isBuilt: true });
}

test('runs that may spend less than it costs to look at everything end cleanly, and read everything in time', {
  tags: 'long',
}, async () => {
  const rowsOf = ({ partitions }: { partitions: { rows: number }[] }) =>
    partitions.reduce((sum, { rows }) => sum + rows, 0);
  const whole = await home();
  const wanted = rowsOf((await whole.firn('--json', 'sync')).json);

  const part = await home();
  let runs = 0;
  for (let rows = 0; rows < wanted && runs < 100; runs++) {
    const { code, json } = await part.firn('--json', 'sync', '--max-units', '500');
    expect(code).toBe(0);
    expect(json.requests.data.computeUnits + json.requests.metrics.computeUnits).toBeLessThanOrEqual(500);
    rows += rowsOf(json);
  }
  // The order is another one each time.
  expect(runs).toBeGreaterThan(1);
  const differences = await compareWarehouses(part.warehouse, whole.warehouse);
  const raw = differences.filter(({ table }) => table.startsWith('raw.'));
  expect(raw.length).toBeGreaterThan(10);
  expect(raw.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0)).toEqual([]);
});

test('lookups come on by a limit that is less than those asked for at once', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '10%' });
  onTestFinished(() => devnet.close());
  const chainIds = [String((await ledger).c.evmChainId)];
  const streams = {
    'data/latest_transactions': { chainIds, from: '-3d' },
    'data/transaction_details': { chainIds, streams: ['latest_transactions'] },
  };
  const { firn } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
  await firn('sync', '--select', 'data/latest_transactions');
  const { code, json } = await firn('--json', 'sync', '--select', 'data/transaction_details', '--max-units', '100');
  expect([code, json.stoppedBy, json.requests.data.computeUnits]).toEqual([0, '--max-units', 100]);
  expect(json.partitions).toMatchObject([{ outcome: 'stopped', rows: 5 }]);
});

test('requests that are sent again spend the units of a limit, too', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '10%', faults: { 500: 0.3 } });
  onTestFinished(() => devnet.close());
  const chainIds = [String((await ledger).c.evmChainId)];
  const streams = { 'data/latest_transactions': { chainIds, pageSize: 1 } };
  const { firn } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
  const { code, json } = await firn('--json', 'sync', '--max-units', '400');
  expect([code, json.stoppedBy]).toEqual([0, '--max-units']);
  const { computeUnits, retries } = json.requests.data;
  expect(retries).toBeGreaterThan(0);
  // The last request may be sent again, too.
  expect(computeUnits).toBeLessThanOrEqual(400 + 7 * 20);
  expect(computeUnits - 20 * retries).toBeLessThan(400);
});

test('what takes more at once than a run may spend fails alone, and everything else is read', {
  tags: 'long',
}, async () => {
  const { firn } = await home();
  const { code, json, err } = await firn('--json', 'sync', '--max-units', '50', '--select', 'metrics/*', 'node/*');
  expect(code).toBe(2);
  const ofMetrics = json.partitions.filter(({ stream }: { stream: string }) => stream.startsWith('metrics/'));
  expect(ofMetrics.length).toBeGreaterThan(0);
  for (const one of ofMetrics) expect(one).toMatchObject({ outcome: 'failed', code: 'usage', requests: 0 });
  expect(json.partitions.some(({ rows }: { rows: number }) => rows > 0)).toBe(true);
  expect(err).toContain('takes 100 compute units at once, and --max-units allows 50 in all');
});

test.each([
  ['--max-time', '0s'],
  ['--max-units', '0'],
])(
  'a run that may take nothing (%s) says so, publishes, and leaves all to the next',
  { tags: 'long' },
  async (limit, nothing) => {
    const { firn, warehouse } = await home();
    const none = await firn('run', limit, nothing, '--select', 'data/*');
    expect([none.code, none.out]).toEqual([
      0,
      expect.stringContaining(`Reading ended by ${limit} before anything came of it`),
    ]);
    const reader = await openReader(warehouse);
    const [run] = await reader.query('SELECT exit_code, (SELECT count(*) FROM firn.load) AS loads FROM firn.run');
    reader.close();
    expect(run).toEqual({ exit_code: 0, loads: 0n });
    const rest = await firn('--json', 'sync', '--select', 'data/*');
    expect(rest.json).toMatchObject({ exitCode: 0, stoppedBy: null });
  },
);

test('limits that are none are refused', { tags: 'long' }, async () => {
  const { firn } = await home();
  for (const flags of [
    ['--max-time', 'soon'],
    ['--max-units', '-1'],
    ['--wait', 'long'],
  ]) {
    expect((await firn('sync', ...flags)).code).toBe(2);
  }
});
