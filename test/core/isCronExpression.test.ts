import { expect, test } from 'vitest';
import { isCronExpression } from '../../src/core/isCronExpression.ts';

test.each(['*/10 * * * *', '0 2 * * 1-5', '5,35 0-6/2 1 jan,Jul mon', '0 0 * * 7', ' 0  2 * * * '])(
  '%s is one',
  (text) => {
    expect(isCronExpression(text)).toBe(true);
  },
);

test.each([
  '0 0 2 * * *',
  '61 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  'mon * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  '@daily',
  '* * * *',
  '',
])('"%s" is none', (text) => {
  expect(isCronExpression(text)).toBe(false);
});
