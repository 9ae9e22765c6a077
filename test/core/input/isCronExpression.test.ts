import { validate } from 'node-cron';
import { expect, test } from 'vitest';
import { isCronExpression } from '../../../src/core/input/isCronExpression.ts';

test.each([
  '*/10 * * * *',
  '0 2 * * 1-5',
  '5,35 0-6/2 1 jan,Jul mon',
  '0 0 * * 7',
  '0 22-23,0-2 * * mon-fri,5-7',
  ' 0  2 * * * ',
])('%s is one', (text) => {
  expect(isCronExpression(text)).toBe(true);
});

test.each([
  '0 0 2 * * *',
  '61 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  'mon * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  '@daily',
  '5/2 * * * *',
  '5-1 * * * *',
  '* 22-2 * * *',
  '* * * nov-feb *',
  '* * * * fri-mon',
  '* * * * 7-2/2',
  '* * * mon *',
  '* * * janfoo *',
  '* * * *',
  '',
])('"%s" is none', (text) => {
  expect(isCronExpression(text)).toBe(false);
});

test('what is one is run by node-cron as well', () => {
  const ends = ['0', '1', '2', '03', '07', '12', '31', '59', 'jan', 'December', 'mon', 'SUNDAY', 'thurs', '-', ''];
  const items = ['*', ...ends, ...ends.flatMap((from) => ends.map((to) => `${from}-${to}`))];
  const taken = [0, 1, 2, 3, 4]
    .flatMap((field) => items.flatMap((item) => ['', '/2', '/0', ',1'].map((more) => [field, item + more] as const)))
    .map(([field, text]) => ['*', '*', '*', '*', '*'].with(field, text).join(' '))
    .filter(isCronExpression);
  expect(taken.length).toBeGreaterThan(300);
  expect(taken.filter((text) => !validate(text))).toEqual([]);
});
