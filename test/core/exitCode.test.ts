import { expect, test } from 'vitest';
import { exitCode, worstExit } from '../../src/core/exitCode.ts';
import { type ErrorCode, FirnError } from '../../src/core/firnError.ts';

test.each<[ErrorCode, number]>([
  ['usage', 2],
  ['config', 2],
  ['network_mismatch', 2],
  ['newer_warehouse', 2],
  ['mismatch', 3],
  ['quarantined', 4],
  ['contract', 4],
  ['disk', 73],
  ['locked', 75],
  ['rate_limited', 75],
  ['unavailable', 75],
  ['unauthorized', 77],
  ['refused', 1],
  ['not_found', 1],
  ['not_offered', 1],
  ['decode', 1],
  ['source_shrank', 1],
  ['failed', 1],
])('%s ends with %i', (code, expected) => {
  expect(exitCode(new FirnError(code, 'x'))).toBe(expected);
});

test('an interruption ends by its signal', () => {
  expect(exitCode(new FirnError('interrupted', 'x', { context: { signal: 'SIGINT' } }))).toBe(130);
  for (const signal of ['SIGTERM', 'SIGHUP'])
    expect(exitCode(new FirnError('interrupted', 'x', { context: { signal } }))).toBe(143);
});

test('what is no FirnError ends with 1', () => {
  expect(exitCode(new TypeError('x'))).toBe(1);
  expect(exitCode('x')).toBe(1);
});

test.each([
  [[], 0],
  [[0, 0], 0],
  [[0, 3], 3],
  [[3, 4], 4],
  [[4, 75, 3], 75],
  [[75, 77], 77],
  [[77, 1, 75], 1],
  [[1, 73], 73],
  [[73, 130], 130],
  [[143, 73, 1], 143],
  [[2, 77], 2],
  [[99, 77], 99],
  [[99, 73], 73],
])('the worst of %j is %i', (codes, expected) => {
  expect(worstExit(codes)).toBe(expected);
});

test('a FirnError carries its code, facts and cause', () => {
  const cause = new Error('below');
  const error = new FirnError('unavailable', 'above', { retryable: true, context: { status: 503 }, cause });
  expect(error).toMatchObject({
    name: 'FirnError',
    code: 'unavailable',
    retryable: true,
    context: { status: 503 },
    cause,
  });
  const bare = new FirnError('failed', 'x');
  expect([bare.retryable, bare.context, 'cause' in bare]).toEqual([false, {}, false]);
});
