import { expect, test } from 'vitest';
import { lastRunOf } from '../../../src/report/health/lastRuns.ts';
import { readRuns } from '../../../src/report/read/readRuns.ts';

const told = (runId: string, startedAt: string, finishedAt = startedAt) => ({
  ...{ runId, command: 'sync', startedAt, finishedAt },
  ...{ exitCode: 0, summary: {}, isGoing: false },
});
const row = (runId: string, startedAt: string) => ({
  ...{ run_id: runId, command: 'export', exit_code: 0, summary: null },
  ...{ started_at: Date.parse(startedAt), finished_at: Date.parse(startedAt) },
});

test.each([
  ['ahead', '2026-01-22T12:00:00.000Z'],
  ['behind', '1970-01-01T00:00:00.000Z'],
  ['set back, also until the time comes at which it began', '2026-01-20T12:29:00.000Z', '2026-01-20T11:10:00.000Z'],
])('files tell the order of runs, and a clock that was %s does not', async (_, startedAt, finishedAt = startedAt) => {
  const files = [
    told('newest', '2026-01-20T12:00:00.000Z'),
    told('wrong', startedAt, finishedAt),
    told('oldest', '2026-01-20T11:00:00.000Z'),
  ];
  const rows = [row('ahead', '2026-01-22T12:00:00.000Z'), row('first', '2026-01-20T10:00:00.000Z')];
  const runs = await readRuns({ query: async <T>() => rows as T[] }, files, Date.parse('2026-01-20T12:30:00Z'));
  expect(runs.map(({ runId }) => runId)).toEqual(['newest', 'wrong', 'oldest', 'first', 'ahead']);
});

test('a run that no file tells of comes between the others by its time', async () => {
  const files = [told('newest', '2026-01-20T12:00:00.000Z'), told('oldest', '2026-01-20T11:00:00.000Z')];
  const rows = [row('export', '2026-01-20T11:30:00.000Z'), row('oldest', '2026-01-20T11:00:00.000Z')];
  const runs = await readRuns({ query: async <T>() => rows as T[] }, files, Date.parse('2026-01-20T12:30:00Z'));
  expect(runs.map(({ runId }) => runId)).toEqual(['newest', 'export', 'oldest']);
});

test('the last runs of a pipeline are told of, however many of another ended since', async () => {
  const file = (pipeline: string, minute: number, exitCode: number) => ({
    runId: `${pipeline}-${minute}`,
    command: 'run',
    startedAt: new Date(minute * 60_000).toISOString(),
    finishedAt: new Date(minute * 60_000 + 1000).toISOString(),
    exitCode,
    summary: { pipelines: [pipeline], isWhole: true, phases: ['sync'] },
    isGoing: false,
  });
  const often = Array.from({ length: 90 }, (_, i) => file('often', 190 - i, 0));
  const files = [...often, file('daily', 3, 77), file('daily', 2, 0), file('daily', 1, 0)];
  const runs = await readRuns({ query: async () => [] }, files, 200 * 60_000);
  expect(runs.length).toBe(62);
  expect(runs.slice(-2).map(({ runId }) => runId)).toEqual(['daily-3', 'daily-2']);
  expect(lastRunOf({ runs }, 'daily')?.exitCode).toBe(77);
});

test('the last runs of a pipeline that came to nothing are told of, and take no place of those with a result', async () => {
  const file = (pipeline: string, minute: number, exitCode: number | null, problems: object[] = []) => ({
    runId: `${pipeline}-${minute}`,
    command: 'run',
    startedAt: new Date(minute * 60_000).toISOString(),
    finishedAt: exitCode === null ? null : new Date(minute * 60_000 + 1000).toISOString(),
    exitCode,
    summary: { pipelines: [pipeline], isWhole: true, phases: ['sync'], problems },
    isGoing: false,
  });
  const often = Array.from({ length: 60 }, (_, i) => file('often', 160 - i, 0));
  const lockedOut = [5, 4].map((minute) => file('daily', minute, 75, [{ code: 'locked', message: 'in use' }]));
  const withResult = [file('daily', 3, 3), file('daily', 2, 0), file('daily', 1, 0)];
  const daily = [file('daily', 6, null), ...lockedOut, ...withResult, file('daily', 0, null)];
  const runs = await readRuns({ query: async () => [] }, [...often, ...daily], 200 * 60_000);
  expect(runs.slice(60).map(({ runId }) => runId)).toEqual(['daily-6', 'daily-5', 'daily-3', 'daily-2', 'daily-0']);
});

test('the last run that went well and the last that published are told of, however many failed since', async () => {
  const file = (minute: number, exitCode: number, published: object | null) => ({
    runId: `at ${minute}`,
    command: 'run',
    startedAt: new Date(minute * 60_000).toISOString(),
    finishedAt: new Date(minute * 60_000 + 1000).toISOString(),
    exitCode,
    summary: { published },
    isGoing: false,
  });
  const failing = Array.from({ length: 90 }, (_, i) => file(190 - i, 1, null));
  const files = [...failing, file(4, 4, {}), file(3, 4, {}), file(2, 0, {}), file(1, 0, {})];
  const runs = await readRuns({ query: async () => [] }, files, 200 * 60_000);
  expect(runs.slice(60).map(({ runId }) => runId)).toEqual(['at 4', 'at 2']);
});

test('a file that names fewer partitions than readers see tells when those were last read', async () => {
  const run = { runId: 'r', command: 'run', startedAt: '2026-01-20T12:00:00.000Z', finishedAt: null, exitCode: 75 };
  const one = { stream: 's', partition: 'one', outcome: 'failed' };
  const two = { stream: 's', partition: 'two', outcome: 'done' };
  const row = { run_id: 'r', command: 'run', started_at: 0, summary: JSON.stringify({ partitions: [two, one] }) };
  const lastRead = '2026-01-20T11:00:00.000Z';
  const file = { ...run, isGoing: false, summary: { partitions: [{ ...one, lastRead }], unnamedFailures: { s: 1 } } };
  const [read] = await readRuns({ query: async <T>() => [row] as T[] }, [file], Date.parse('2026-01-20T13:00:00Z'));
  expect(read?.partitions).toMatchObject([
    { partition: 'one', lastRead: Date.parse(lastRead) },
    { partition: 'two', lastRead: null },
  ]);
  // None is unnamed any more.
  expect(read?.unnamedFailures).toEqual({});
});

test('a run that read something and met a lock then was not locked out', async () => {
  const run = { runId: 'r', command: 'sync', startedAt: '2026-01-20T12:00:00.000Z', finishedAt: null, isGoing: false };
  const problems = [{ code: 'locked', message: 'in use' }];
  const partitions = [{ stream: 's', partition: 'p', outcome: 'done' }];
  const [read] = await readRuns(
    { query: async () => [] },
    [{ ...run, exitCode: 75, summary: { partitions, problems } }],
    0,
  );
  expect(read?.isLockedOut).toBe(false);
});

test('the problems of a run name a partition that failed once', async () => {
  const message = 'node/x (all): the source ends at 4';
  const run = { runId: 'r', command: 'sync', startedAt: '2026-01-20T12:00:00.000Z', finishedAt: null, isGoing: true };
  const partitions = [{ stream: 'node/x', partition: 'all', outcome: 'failed', message }];
  const [read] = await readRuns({ query: async () => [] }, [{ ...run, exitCode: 1, summary: { partitions } }], 0);
  expect(read?.problems).toEqual([message]);
});

test('the requests of a run are all that it sent, also those that no partition asked for', async () => {
  const stats = { requests: 3, retries: 1, waitedMs: 0, bytes: 10, computeUnits: 2 };
  const file = {
    runId: 'a',
    command: 'run',
    startedAt: '2026-01-20T12:00:00.000Z',
    finishedAt: '2026-01-20T12:01:00.000Z',
    exitCode: 0,
    summary: {
      partitions: [{ stream: 's', partition: 'p', outcome: 'done', rows: 7, requests: 4 }],
      requests: { node: stats, data: stats },
    },
    isGoing: false,
  };
  expect(await readRuns({ query: async () => [] }, [file], Date.parse('2026-01-20T12:30:00Z'))).toMatchObject([
    { rows: 7, requests: 6 },
  ]);
});
