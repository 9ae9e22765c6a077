import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlidingWindow } from '../../../src/extract/limits/slidingWindow.ts';

test('waits for as much of the past as has to leave the window', () => {
  const window = createSlidingWindow(60_000);
  window.spend(50, 0);
  window.spend(40, 10_000);
  expect(window.waitMs(10, 100, 20_000)).toBe(0);
  expect(window.waitMs(20, 100, 20_000)).toBe(40_000);
  expect(window.waitMs(70, 100, 20_000)).toBe(50_000);
  expect(window.waitMs(100, 100, 70_000)).toBe(0);
});

test('follows a limit that shrinks', () => {
  const window = createSlidingWindow(60_000);
  window.spend(50, 0);
  expect(window.waitMs(10, 100, 1_000)).toBe(0);
  expect(window.waitMs(10, 55, 1_000)).toBe(59_000);
});

test('lets more than the limit through when nothing else is in the window', () => {
  const window = createSlidingWindow(60_000);
  expect(window.waitMs(500, 100, 0)).toBe(0);
  window.spend(500, 0);
  expect(window.waitMs(500, 100, 1)).toBe(59_999);
});

test('never lets through more than the limit in any minute, and never waits longer than needed', () => {
  const requests = fc.array(fc.record({ gap: fc.nat(30_000), amount: fc.integer({ min: 1, max: 100 }) }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(requests, (list) => {
      const window = createSlidingWindow(60_000);
      const sent: { at: number; amount: number }[] = [];
      const inMinuteBefore = (moment: number) =>
        sent.reduce((sum, { at, amount }) => (at > moment - 60_000 && at <= moment ? sum + amount : sum), 0);
      let now = 0;
      for (const { gap, amount } of list) {
        now += gap;
        const wait = window.waitMs(amount, 100, now);
        if (wait > 0) expect(inMinuteBefore(now + wait - 1) + amount).toBeGreaterThan(100);
        now += wait;
        window.spend(amount, now);
        sent.push({ at: now, amount });
        expect(inMinuteBefore(now)).toBeLessThanOrEqual(100);
      }
    }),
  );
});

test('stays small and right over many entries', () => {
  const window = createSlidingWindow(60_000);
  for (let now = 0; now < 1_000_000; now += 100) window.spend(1, now);
  expect(window.waitMs(1, 600, 1_000_000)).toBe(0);
  expect(window.waitMs(2, 600, 1_000_000)).toBe(100);
});
