import { expect, test } from 'vitest';
import { parseBound } from '../../../src/core/heights/findHeight.ts';
import { isBefore } from '../../../src/core/heights/isBefore.ts';

test.each([
  [0, 7, true],
  [0, '2026-01-20', true],
  [0, '-30d', true],
  [0, 0, false],
  [7, 0, false],
  ['2026-01-20', 0, false],
  [7, 8, true],
  [8, 8, false],
  ['2026-01-20', '2026-01-21', true],
  ['2026-01-21', '2026-01-20', false],
  ['-30d', '-24h', true],
  ['-24h', '-1d', false],
  [7, '2026-01-20', undefined],
  ['-24h', 7, undefined],
  ['2026-01-20', '-24h', undefined],
])('%s before %s: %s', (one, other, is) => {
  expect(isBefore(parseBound(one), parseBound(other))).toBe(is);
});
