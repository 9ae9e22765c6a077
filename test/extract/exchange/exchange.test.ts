import type { Dispatcher } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bounds } from '../../../src/core/json/bounds.ts';
import { systemClock } from '../../../src/extract/clock.ts';
import { exchange } from '../../../src/extract/exchange/exchange.ts';

const timeouts = { connect: 1_000, headers: 5_000, idle: 5_000, total: 5_000 };
const controller = { abort: () => {}, pause: () => {}, resume: () => {} } as never;

type Tell = (handler: Dispatcher.DispatchHandler) => void;

/** Takes what undici tells of an answer. */
function taken(tell: Tell, more: Partial<Parameters<typeof exchange>[2]> = {}) {
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    tell(handler);
    return true;
  };
  const request = { method: 'GET' as const, target: '/', headers: {} };
  const options = { clock: systemClock, timeouts, bounds: bounds.page, signal: undefined };
  return exchange({ dispatch }, request, { ...options, onHead: () => {}, hold: () => undefined, ...more });
}

/** Takes a large answer that says it is packed, and is not, up to this end of it. */
const damaged = (end: Tell) =>
  taken((handler) => {
    handler.onResponseStart?.(controller, 200, { 'content-encoding': 'gzip' });
    handler.onResponseData?.(controller, Buffer.alloc(6 * 2 ** 20, 'x'));
    end(handler);
  });

test.each<[string, boolean, Tell]>([
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

test('what only says that an answer will come is not heard as one', async () => {
  const onHead = vi.fn();
  const told = taken(
    (handler) => {
      handler.onResponseStart?.(controller, 103, { link: '</more>' });
      handler.onResponseStart?.(controller, 200, {});
      handler.onResponseData?.(controller, Buffer.from('{}'));
      handler.onResponseEnd?.(controller, {});
    },
    { onHead },
  );
  expect(await told).toMatchObject({ status: 200, headers: {} });
  expect(onHead.mock.calls).toEqual([[200, {}]]);
});

test('an answer of more bytes than it may have is dropped as they come', async () => {
  const told = taken(
    (handler) => {
      const abort = (error: Error) => handler.onResponseError?.(controller, error);
      handler.onResponseStart?.(controller, 200, {});
      for (const bytes of [6, 6]) handler.onResponseData?.({ abort } as never, Buffer.alloc(bytes, ' '));
      handler.onResponseEnd?.(controller, {});
    },
    { bounds: { ...bounds.page, bytes: 10 } },
  );
  await expect(told).rejects.toThrow('The answer holds more than');
});

test('no more of an answer is taken until there is room for it', async () => {
  const said: string[] = [];
  let giveRoom = () => {};
  const room = new Promise<void>((resolve) => {
    giveRoom = resolve;
  });
  const told = taken(
    (handler) => {
      const pausing = {
        pause: () => said.push('paused'),
        resume: () => {
          said.push('resumed');
          handler.onResponseEnd?.(controller, {});
        },
      };
      handler.onResponseStart?.(controller, 200, {});
      handler.onResponseData?.(pausing as never, Buffer.from('{}'));
      said.push('room');
      giveRoom();
    },
    { hold: () => room },
  );
  expect((await told).content.toString()).toBe('{}');
  expect(said).toEqual(['paused', 'room', 'resumed']);
});
