import { expect, test } from 'vitest';
import { explainCommand } from '../../../src/report/texts/explainCommand.ts';

const moment = Date.parse('2026-02-02T13:00:00Z');

test.each([
  ['day', '43114 txCount 2026-02-02'],
  ['week', '43114 txCount 2026-02-02 --interval week'],
  ['hour', "43114 txCount '2026-02-02 13:00:00' --interval hour"],
])('a bucket by %s is explained as one', (interval, words) => {
  expect(explainCommand('43114', 'txCount', interval, moment)).toBe(`firn reconcile --explain ${words}`);
});

test('a name from elsewhere runs nothing in a shell', () => {
  expect(explainCommand("1'; rm x #", 'txCount', 'day', moment)).toContain(`--explain '1'\\''; rm x #' txCount`);
});
