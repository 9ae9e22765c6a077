import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { createPace } from '../../../src/extract/limits/pace.ts';
import { fakeClock } from '../fakeClock.ts';

const refusal = (context = {}) => new FirnError('rate_limited', 'too many', { retryable: true, context });

function paced(maxWaitMs = 300_000) {
  const clock = fakeClock();
  const pace = createPace(clock, { maxWaitMs });
  /** Sends once the hold is over, and is refused; gives the next hold. */
  const refused = (error: unknown = refusal()) => {
    clock.advance(pace.waitMs() + 1);
    pace.failed(error, clock.now());
    return pace.waitMs();
  };
  return { clock, pace, refused };
}

test('a refusal without a time holds for a second, each one after it for twice as long, a minute in all', () => {
  const { refused } = paced();
  expect(Array.from({ length: 8 }, () => refused())).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 0, 0]);
});

test('no hold is longer than whoever asks waits', () => {
  const { refused } = paced(2_000);
  expect([refused(), refused(), refused()]).toEqual([1_000, 2_000, 0]);
});

test('what was taken ends the doubling', () => {
  const { pace, refused } = paced();
  for (let i = 0; i < 8; i++) refused();
  pace.taken();
  expect([refused(), refused()]).toEqual([1_000, 2_000]);
});

test('what was sent before the hold counts once', () => {
  const { clock, pace } = paced();
  for (let i = 0; i < 4; i++) pace.failed(refusal(), clock.now());
  expect(pace.waitMs()).toBe(1_000);
});

test.each([
  ['says for how long', refusal({ retryAfterMs: 30 })],
  ['is of the day', new FirnError('rate_limited', 'used up')],
  ['is about something else', new FirnError('unavailable', 'down', { retryable: true })],
])('a refusal that %s holds nothing', (_, error) => {
  expect(paced().refused(error)).toBe(0);
});
