import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { schedulePipelines } from '../../../src/run/plan/schedulePipelines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits from one moment to another; gives when the pipeline was run. */
async function runsOf(expression: string, from: string, work: () => Promise<unknown>): Promise<string[]> {
  vi.setSystemTime(from);
  const runs: string[] = [];
  const ended = new AbortController();
  const run = async () => void runs.push(new Date().toISOString().slice(0, 16));
  const scheduling = schedulePipelines([{ name: 'main', expression }], run, ended.signal);
  await work();
  ended.abort();
  await scheduling;
  return runs;
}

test('a time that came while the machine slept is made up for', async () => {
  const runs = await runsOf('0 3 * * *', '2026-02-01T02:59:50Z', async () => {
    vi.setSystemTime('2026-02-01T06:00:00Z');
    await vi.advanceTimersByTimeAsync(60_000);
  });
  expect(runs).toEqual(['2026-02-01T06:00']);
});

test('where days of the month and of the week are named, either counts', async () => {
  const runs = await runsOf('0 3 2 * 6', '2026-02-01T00:00:00Z', () => vi.advanceTimersByTimeAsync(8 * 86_400_000));
  expect(runs).toEqual(['2026-02-02T03:00', '2026-02-07T03:00']);
});
