import { expect, test } from 'vitest';
import { roomierLimits, smallerLimit } from '../../src/load/roomierLimits.ts';

test.each([
  ['4GB', ['256MB', '4GB']],
  ['1.5 GiB', ['256MB', '1.5 GiB']],
  ['256MiB', ['256MB', '256MiB']],
  ['256MB', ['256MB']],
  ['100MB', ['100MB']],
  // A sync has more already.
  ['50MB', []],
])('with a memoryLimit of %s a sync may take %j', (most, limits) => {
  expect(roomierLimits('76MB', most)).toEqual(limits);
});

test.each([
  ['512MB', '4GB', '512MB'],
  ['512MB', '200MB', '200MB'],
  ['512MB', '512MiB', '512MB'],
])('of %s and %s the smaller one is %s', (one, other, smaller) => {
  expect(smallerLimit(one, other)).toBe(smaller);
  expect(smallerLimit(other, one)).toBe(smaller);
});
