import { expect, test } from 'vitest';
import { nothing, nothingRead } from '../../../src/run/phases/session.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';

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
