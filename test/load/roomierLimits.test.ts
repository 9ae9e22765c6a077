import { expect, test } from 'vitest';
import { roomierLimits } from '../../src/load/roomierLimits.ts';

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
