import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Unresolved } from '../../../src/core/unresolved.ts';
import { createSession, joinListeners, nothing, nothingRead } from '../../../src/run/phases/session.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import { phases } from '../../../src/run/records/runReport.ts';

test.each(['the source ends at 4', 'node/x (all): the source ends at 4'])(
  'a run that could read nothing names the first partition once: %s',
  (message) => {
    const failed = { stream: 'node/x', partition: 'all', outcome: 'failed', bytes: 0, message } as PartitionResult;
    expect(nothingRead([failed])?.message).toBe(`${nothing} node/x (all): the source ends at 4`);
  },
);

test('a run that could read nothing does not say that there is something to be seen', () => {
  expect(nothing).toMatch(/: what readers see stays as it is\.$/);
});

test.each([
  [0, nothing],
  [1, undefined],
])('a partition that was done with %i requests: %s', (requests, expected) => {
  const failed = { stream: 'node/x', partition: 'all', outcome: 'failed', bytes: 0, message: '503' } as PartitionResult;
  const done = { ...failed, outcome: 'done', requests } as PartitionResult;
  expect(nothingRead([done, failed])?.message.slice(0, nothing.length)).toBe(expected);
});

test('partitions that are not offered, or of which something came, do not make a run that could read nothing', () => {
  const failed = { stream: 'node/x', partition: 'all', outcome: 'failed', bytes: 0, message: '503' } as PartitionResult;
  expect(nothingRead([{ ...failed, outcome: 'not_offered' }, failed])).toBeDefined();
  expect(nothingRead([{ ...failed, outcome: 'not_offered' }])).toBeUndefined();
  expect(nothingRead([failed, { ...failed, bytes: 1 }])).toBeUndefined();
  expect(nothingRead([failed, { ...failed, outcome: 'stopped' }])).toBeUndefined();
});

const session = (of: readonly string[] = phases) =>
  createSession({ place: {}, run: { phases: of } } as unknown as Parameters<typeof createSession>[0]);

test('a session ends with the worst of what failed, what is in quarantine and what is held back', () => {
  const { fail, report, outcome } = session();
  expect(report().exitCode).toBe(0);
  outcome.heldBack = [{ relation: 'mart.metric', audit: 'a', since: '2026-01-01', reason: 'a row' }];
  expect(report().exitCode).toBe(3);
  outcome.unresolved = { records: 1 } as Unresolved;
  expect(report().exitCode).toBe(4);
  fail(new FirnError('unauthorized', 'No key.'));
  expect(report()).toMatchObject({ exitCode: 77, problems: [{ code: 'unauthorized', message: 'No key.' }] });
});

test('a run of all phases alone is whole', () => {
  expect([session(), session(phases.slice(1))].map(({ isWholeRun }) => isWholeRun)).toEqual([true, false]);
});

test('everybody who listens is told', () => {
  const heard: string[] = [];
  const listener = (name: string) => ({
    planned: () => heard.push(`${name} planned`),
    started: () => heard.push(`${name} started`),
    progress: () => heard.push(`${name} progress`),
    finished: () => heard.push(`${name} finished`),
  });
  const all = joinListeners(listener('a'), {}, listener('b')) as unknown as Record<string, () => void>;
  for (const event of ['planned', 'started', 'progress', 'finished']) all[event]?.();
  expect(heard).toEqual(
    ['planned', 'started', 'progress', 'finished'].flatMap((event) => [`a ${event}`, `b ${event}`]),
  );
});
