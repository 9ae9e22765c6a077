import { expect, test } from 'vitest';
import { createBreaker } from '../../../src/extract/limits/breaker.ts';
import { fakeClock } from '../fakeClock.ts';

function opened(patienceMs = 10_000) {
  const clock = fakeClock();
  const breaker = createBreaker({
    origin: 'http://host',
    clock,
    failures: 3,
    coolDownMs: 1_000,
    longestCoolDownMs: 4_000,
    patienceMs,
  });
  for (let i = 0; i < 3; i += 1) breaker.failed('it broke.');
  return { clock, breaker };
}

test('stays closed while failures do not come in a row', () => {
  const breaker = createBreaker({ origin: 'http://host', clock: fakeClock(), failures: 2 });
  for (let i = 0; i < 10; i += 1) {
    breaker.failed('it broke.');
    expect(breaker.tryEnter()).toBe(0);
    breaker.answered();
  }
});

test('opens, lets one request try, and closes when that one is answered', () => {
  const { clock, breaker } = opened();
  expect(breaker.tryEnter()).toBe(1_000);
  clock.advance(1_000);
  expect(breaker.tryEnter()).toBe(0);
  expect(breaker.tryEnter()).toBe(Number.POSITIVE_INFINITY);
  breaker.answered();
  expect(breaker.tryEnter()).toBe(0);
  expect(breaker.tryEnter()).toBe(0);
});

test('waits twice as long after every failed try, up to a limit', () => {
  const { clock, breaker } = opened(60_000);
  for (const wait of [2_000, 4_000, 4_000]) {
    clock.advance(4_000);
    expect(breaker.tryEnter()).toBe(0);
    breaker.failed('it broke again.');
    expect(breaker.tryEnter()).toBe(wait);
  }
});

test('loses its patience, but still tries now and then', () => {
  const { clock, breaker } = opened();
  clock.advance(11_000);
  expect(breaker.tryEnter()).toBe(0);
  breaker.failed('it broke again.');
  expect(() => breaker.tryEnter()).toThrow(/http:\/\/host has given no usable answer .*it broke again\..* run again/);
  clock.advance(2_000);
  expect(breaker.tryEnter()).toBe(0);
  breaker.answered();
  expect(breaker.tryEnter()).toBe(0);
});

test('lets another request try when the first was aborted', () => {
  const { clock, breaker } = opened();
  clock.advance(1_000);
  expect(breaker.tryEnter()).toBe(0);
  breaker.left();
  expect(breaker.tryEnter()).toBe(0);
});
