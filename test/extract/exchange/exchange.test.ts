import type { Dispatcher } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bounds } from '../../../src/core/json/bounds.ts';
import { systemClock } from '../../../src/extract/clock.ts';
import { exchange } from '../../../src/extract/exchange/exchange.ts';

const timeouts = { connect: 1_000, headers: 5_000, idle: 5_000, total: 5_000 };
const controller = { abort: () => {}, pause: () => {}, resume: () => {} } as never;

/** Takes a large answer that says it is packed, and is not, up to this end of it. */
function damaged(end: (handler: Dispatcher.DispatchHandler) => void) {
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    handler.onResponseStart?.(controller, 200, { 'content-encoding': 'gzip' });
    handler.onResponseData?.(controller, Buffer.alloc(6 * 2 ** 20, 'x'));
    end(handler);
    return true;
  };
  const request = { method: 'GET' as const, target: '/', headers: {} };
  const options = { clock: systemClock, timeouts, bounds: bounds.page, signal: undefined };
  return exchange({ dispatch }, request, { ...options, onHead: () => {}, hold: () => undefined });
}

test.each<[string, boolean, (handler: Dispatcher.DispatchHandler) => void]>([
  ['breaks', true, (handler) => handler.onResponseError?.(controller, new Error('reset'))],
  [
    'cannot be unpacked, while zlib may still read it in its thread',
    false,
    (handler) => handler.onResponseEnd?.(controller, {}),
  ],
])('the memory of an answer that %s is given back: %s', async (_, isGivenBack, end) => {
  const resize = vi.spyOn(ArrayBuffer.prototype, 'resize');
  onTestFinished(() => resize.mockRestore());
  await expect(damaged(end)).rejects.toThrow(isGivenBack ? 'reset' : 'incorrect header check');
  expect(resize.mock.calls.some(([bytes]) => bytes === 0)).toBe(isGivenBack);
});
