import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { neverRun, schedulePipelines } from '../../../src/run/plan/schedulePipelines.ts';

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
  const scheduling = schedulePipelines(() => [{ name: 'main', expression }], run, ended.signal);
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

test('a time that came while the machine slept does not wait until its timer, which slept too, has run', async () => {
  const runs = await runsOf('0 3 * * *', '2026-02-01T17:00:00Z', async () => {
    await vi.advanceTimersByTimeAsync(3_600_000);
    vi.setSystemTime('2026-02-02T08:00:00Z');
    await vi.advanceTimersByTimeAsync(60_000);
  });
  expect(runs).toEqual(['2026-02-02T08:00']);
});

test.each(['2020-06-01', '2026-01-31'])('a clock that is set back to %s holds up no run', async (day) => {
  const runs = await runsOf('*/10 * * * *', '2026-02-01T12:05:00Z', async () => {
    vi.setSystemTime(`${day}T08:01:00Z`);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
  });
  expect(runs).toEqual([`${day}T08:10`]);
});

test('a clock that began in 1970 and is set makes up for one run', async () => {
  const runs = await runsOf('* * * * *', '1970-01-01T00:00:10Z', async () => {
    vi.setSystemTime('2026-02-01T12:00:10Z');
    await vi.advanceTimersByTimeAsync(50_000);
  });
  expect(runs).toEqual(['2026-02-01T12:00', '2026-02-01T12:01']);
});

test('times that change are those of the next runs, and a pipeline that is gone is not run', async () => {
  vi.setSystemTime('2026-02-01T00:00:00Z');
  const runs: string[] = [];
  const ended = new AbortController();
  let pipelines = [
    { name: 'a', expression: '0 * * * *' },
    { name: 'b', expression: '30 * * * *' },
  ];
  const scheduling = schedulePipelines(
    () => pipelines,
    async (name) => {
      runs.push(`${name} ${new Date().toISOString().slice(11, 16)}`);
      pipelines = [{ name: 'a', expression: '*/20 * * * *' }];
    },
    ended.signal,
  );
  await vi.advanceTimersByTimeAsync(2 * 3_600_000);
  ended.abort();
  await scheduling;
  expect(runs).toEqual(['b 00:30', 'a 00:40', 'a 01:00', 'a 01:20', 'a 01:40', 'a 02:00']);
});

test('runs never overlap, what comes meanwhile follows once, and the signal lets the last one end and begins no other', async () => {
  vi.setSystemTime('2026-02-01T00:00:30Z');
  const runs: string[] = [];
  const ended = new AbortController();
  let end = () => {};
  const run = (name: string) => {
    runs.push(name);
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  const pipelines = ['a', 'b'].map((name) => ({ name, expression: '* * * * *' }));
  let isOver = false;
  const scheduling = schedulePipelines(() => pipelines, run, ended.signal).then(() => {
    isOver = true;
  });
  const pass = (minutes: number) => vi.advanceTimersByTimeAsync(minutes * 60_000);
  await pass(3);
  expect(runs).toEqual(['a']);
  end();
  await pass(0);
  end();
  await pass(1);
  expect(runs).toEqual(['a', 'b', 'a']);
  ended.abort();
  await pass(1);
  expect(isOver).toBe(false);
  end();
  await scheduling;
  expect(runs).toEqual(['a', 'b', 'a']);
});

test('a time that never comes holds up no other', async () => {
  expect(await runsOf('0 3 31 2 6', '2026-02-01T00:00:00Z', () => vi.advanceTimersByTimeAsync(8 * 86_400_000))).toEqual(
    ['2026-02-07T03:00'],
  );
});

test('a pipeline is named that no time begins, and no other', () => {
  const schedules = ['0 3 30 2 *', '0 3 31 4,6 *', '0 3 29 2 *', '0 3 31 2 6', '*/10 * * * *'];
  expect(neverRun(schedules.map((expression, i) => ({ name: `p${i}`, expression })))).toEqual([
    expect.stringMatching(/^p0: 0 3 30 2 \* never comes.* Correct pipelines\.p0\.schedule\.$/),
    expect.stringMatching(/^p1: /),
  ]);
});

test('where days of the month and of the week are named, either counts', async () => {
  const runs = await runsOf('0 3 2 * 6', '2026-02-01T00:00:00Z', () => vi.advanceTimersByTimeAsync(8 * 86_400_000));
  expect(runs).toEqual(['2026-02-02T03:00', '2026-02-07T03:00']);
});
