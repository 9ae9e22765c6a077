import { expect, test } from 'vitest';
import { limitWithin, roomierLimits } from '../../src/load/roomierLimits.ts';

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
  ['4GB', '512MB'],
  ['512MiB', '512MB'],
  ['200MB', '200MB'],
  ['2 MB', '64MB'],
])('with a memoryLimit of %s a small sync has %s', (most, limit) => {
  expect(limitWithin('64MB', '512MB', most)).toBe(limit);
});
