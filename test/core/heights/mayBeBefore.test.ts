import { expect, test } from 'vitest';
import { mayBeBefore } from '../../../src/core/heights/mayBeBefore.ts';

test.each([
  ['-30d', '2026-02-20', false],
  ['-300d', '2026-02-20', true],
  ['2026-11-20', '-30d', false],
  ['2026-02-20', '-30d', true],
  ['-30d', '-7d', true],
  ['-7d', '-7d', false],
  ['-30d', '7', true],
  ['7', '2026-02-20', true],
])('on 2026-11-28 %s may be before %s: %s', (one, other, may) => {
  expect(mayBeBefore(one, other, Date.parse('2026-11-28T14:00:00Z'))).toBe(may);
});
