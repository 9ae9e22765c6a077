import { expect, test } from 'vitest';
import { blockTime, safeInteger } from '../../../src/decode/bytes/numbers.ts';

const lastSecond = BigInt(Date.parse('9999-12-31T23:59:59Z') / 1000);

test.each([
  [-1n, false],
  [0n, true],
  [lastSecond, true],
  [lastSecond + 1n, false],
])('%s may be the time of a block: %s', (value, isTime) => {
  if (isTime) expect(blockTime(value, 'timestamp')).toBe(Number(value));
  else expect(() => blockTime(value, 'timestamp')).toThrow(`The timestamp is not a time: ${value}`);
});

test('a height is a number below 2^53', () => {
  expect(safeInteger(2n ** 53n - 1n, 'height')).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => safeInteger(2n ** 53n, 'height')).toThrow(`The height is out of range: ${2n ** 53n}`);
});
