import { describe, expect, test } from 'vitest';
import { createServerQuota } from '../../../src/extract/limits/serverQuota.ts';

test('lets everything through while the server says nothing', () => {
  const quota = createServerQuota();
  quota.sent(20, 0);
  quota.answered(20, 10);
  expect(quota.waitMs(1_000, 10)).toBe(0);
});

test('waits for the reset when too little remains', () => {
  const quota = createServerQuota();
  quota.sent(20, 0);
  quota.answered(20, 0, { limit: 100, remaining: 30, resetMs: 45_000 });
  expect(quota.waitMs(20, 0)).toBe(0);
  expect(quota.waitMs(40, 0)).toBe(45_000);
  expect(quota.waitMs(40, 45_000)).toBe(0);
  quota.sent(40, 45_000);
  expect(quota.waitMs(40, 45_000)).toBe(0);
});

test('counts requests under way as not yet deducted, and then waits for their answers', () => {
  const quota = createServerQuota();
  quota.sent(20, 0);
  quota.sent(20, 0);
  quota.answered(20, 0, { remaining: 30, resetMs: 45_000 });
  expect(quota.waitMs(20, 0)).toBe(Number.POSITIVE_INFINITY);
  quota.answered(20, 0, { remaining: 30, resetMs: 45_000 });
  expect(quota.waitMs(20, 0)).toBe(0);
});

test('knows the window from the limit, without a reset being told', () => {
  const quota = createServerQuota();
  quota.sent(60, 0);
  quota.answered(60, 0, { limit: 100, remaining: 40 });
  expect(quota.waitMs(50, 1_000)).toBe(59_000);
});

test('asks with a single request when it cannot know when there is room', () => {
  const quota = createServerQuota();
  quota.sent(20, 0);
  quota.answered(20, 0, { remaining: 10 });
  expect(quota.waitMs(20, 0)).toBe(1_000);
  expect(quota.waitMs(20, 400)).toBe(600);
  expect(quota.waitMs(20, 1_000)).toBe(0);
  quota.sent(20, 1_000);
  expect(quota.waitMs(20, 1_000)).toBe(Number.POSITIVE_INFINITY);
  quota.answered(20, 2_000, { remaining: 10 });
  expect(quota.waitMs(20, 2_000)).toBe(1_000);
});

test('goes by what remains of a day, and not by how much a minute may have', () => {
  const quota = createServerQuota();
  quota.sent(60, 0);
  quota.answered(60, 0, { limit: 100, remaining: 90, windowMs: 86_400_000 });
  expect(quota.waitMs(80, 0)).toBe(0);
});

test.each([
  ['next to nothing', { limit: 1e-320, remaining: 0 }, 1],
  ['far less than is needed', { limit: 1, remaining: 0 }, 1e9],
])('waits no longer than a day for what the rate gives, where that is %s', (_, limits, weight) => {
  const quota = createServerQuota();
  quota.sent(1, 0);
  quota.answered(1, 0, limits);
  expect(quota.waitMs(weight, 0)).toBe(86_400_000);
  expect(quota.waitMs(weight, 86_400_000)).toBe(0);
});

test('follows a limit that shrinks in mid-run', () => {
  const quota = createServerQuota();
  for (let i = 0; i < 5; i += 1) {
    quota.sent(10, i);
    quota.answered(10, i, { limit: 1_000, remaining: 990 - i * 10 });
  }
  expect(quota.waitMs(10, 10)).toBe(0);
  quota.sent(10, 10);
  quota.answered(10, 10, { limit: 60, remaining: 0, windowMs: 60_000, resetMs: 30_000 });
  expect(quota.waitMs(10, 10)).toBe(59_990);
});

test('goes by the reset where that is all it is told of a window', () => {
  const quota = createServerQuota();
  for (let i = 0; i < 10; i += 1) {
    quota.sent(1, i);
    quota.answered(1, i, { limit: 10, remaining: 9 - i, resetMs: 1_000 });
  }
  expect(quota.waitMs(1, 10)).toBe(999);
  // No more than the limit before an answer tells of the new window.
  for (let i = 0; i < 10; i += 1) {
    expect(quota.waitMs(1, 1_010)).toBe(0);
    quota.sent(1, 1_010);
  }
  expect(quota.waitMs(1, 1_010)).toBe(Number.POSITIVE_INFINITY);
  for (let i = 0; i < 10; i += 1) quota.answered(1, 1_020);
  // What is above the limit could never be sent otherwise.
  expect(quota.waitMs(11, 1_020)).toBe(0);
});

test('takes over a window of another length', () => {
  const quota = createServerQuota();
  quota.sent(1, 0);
  quota.answered(1, 0, { limit: 5, windowMs: 1_000 });
  for (let i = 0; i < 5; i += 1) quota.sent(1, 100);
  expect(quota.waitMs(1, 100)).toBe(1_000);
});

describe('a server that counts requests, not compute units', () => {
  test('is noticed by how its remaining quota falls', () => {
    const quota = createServerQuota();
    for (let i = 0; i < 10; i += 1) {
      quota.sent(20, i);
      quota.answered(20, i, { limit: 100, remaining: 99 - i, resetMs: 60_000 });
    }
    expect(quota.waitMs(20, 10)).toBe(0);
    for (let i = 10; i < 100; i += 1) {
      quota.sent(20, i);
      quota.answered(20, i, { limit: 100, remaining: 99 - i, resetMs: 60_000 });
    }
    expect(quota.waitMs(20, 100)).toBeGreaterThan(50_000);
  });

  test('has room for as many requests in a minute as its limit says', () => {
    const quota = createServerQuota();
    for (let i = 0; i < 8; i += 1) {
      quota.sent(20, i);
      // Once it is noticed, it tells the limit no more.
      quota.answered(20, i, i < 6 ? { limit: 8, remaining: 7 - i } : {});
    }
    expect(quota.waitMs(20, 8)).toBe(59_992);
  });
});

test('a limit that only refusals tell of holds for every minute behind them', () => {
  const quota = createServerQuota();
  quota.sent(1, 0);
  quota.answered(1, 0, { limit: 100, remaining: 0, resetMs: 10_000 });
  expect(quota.waitMs(1, 0)).toBe(10_000);
  for (let i = 0; i < 100; i += 1) {
    expect(quota.waitMs(1, 70_000 + i)).toBe(0);
    quota.sent(1, 70_000 + i);
    quota.answered(1, 70_000 + i, {});
  }
  expect(quota.waitMs(1, 70_100)).toBe(59_900);
});
