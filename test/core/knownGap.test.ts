import { expect, test } from 'vitest';
import { gapText } from '../../src/core/knownGap.ts';

test.each([
  [{ from: 7, to: 9 }, '7 to 9'],
  [{ from: 7, to: 7 }, '7 to 7'],
  // Nothing is missing between two positions that do not follow each other.
  [{ from: 7, to: 6 }, 'something before 7'],
])('%j is told as %s', (gap, text) => {
  expect(gapText(gap)).toBe(text);
});
