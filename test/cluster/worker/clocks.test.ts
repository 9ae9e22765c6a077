import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { aheadOf, controlClock } from '../../../src/cluster/ledger/controlClock.ts';
import { testCluster } from './lakeOfTests.ts';

test('a worker whose clock is ahead of the control database by hours gives rows the times of that one', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const { work, cluster, engine } = await testCluster(devnet, { 'node/platform_validators': {} });
  const hour = 3_600_000;
  const query: Control['query'] = async <R extends object>(sql: string, values?: readonly unknown[]) =>
    (await cluster.control.query<R>(sql, values)).map((row) =>
      'now' in row ? { ...row, now: String(Number(row.now) - 3 * hour) } : row,
    );
  await work(false, { cluster: { ...cluster, control: { ...cluster.control, query } } });
  const [row] = await engine.query<{ at: bigint }>(
    'SELECT max(epoch_ms(_valid_from)) AS at FROM raw.node_platform_validators',
  );
  expect(Number(row?.at)).toBeGreaterThan(Date.now() - 4 * hour);
  expect(Number(row?.at)).toBeLessThan(Date.now() - 2 * hour);
});

test('a clock that is set while a worker runs changes the times of rows no more than for a moment', async () => {
  const hour = 3_600_000;
  let ahead = 0;
  const query: Control['query'] = async <R>() => [{ now: String(Date.now() + ahead) }] as R[];
  const clock = await controlClock({ query }, 0);
  const off = async () => {
    clock.now();
    await new Promise(setImmediate);
    return (clock.now() - Date.now()) / hour;
  };
  expect(await off()).toBeCloseTo(0);
  ahead = 3 * hour;
  expect(await off()).toBeCloseTo(3);
  ahead = 0;
  expect(await off()).toBeCloseTo(0);
});

test('an answer that was held up on its way says nothing of how far clocks are apart, where another one is quicker', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const ways = [30_000, 12_000, 10];
  const query: Control['query'] = async <R>() => {
    const said = Date.now();
    vi.advanceTimersByTime(ways.shift() ?? 0);
    return [{ now: String(said) }] as R[];
  };
  expect(Math.abs(await aheadOf({ query }))).toBeLessThan(10);
  ways.push(30_000, 20_000, 40_000);
  expect(await aheadOf({ query })).toBe(-10_000);
});
