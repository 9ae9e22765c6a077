import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { retryLog } from '../../../src/cli/terminal/retryLog.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function gathered() {
  const lines: [Record<string, unknown>, string][] = [];
  const log = retryLog({ debug() {}, warn: (fields, message) => void lines.push([fields, message]) });
  return { lines, log };
}

test('retries are one line an origin and minute, with how many there were', () => {
  const { lines, log } = gathered();
  for (let attempt = 1; attempt <= 40; attempt++) log.warn({ origin: 'http://a', attempt }, `a ${attempt}`);
  log.warn({ origin: 'http://b', attempt: 1 }, 'b 1');
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([
    [{ origin: 'http://a', attempt: 40, retries: 40 }, '40 requests were tried again within a minute; the last: a 40'],
    [{ origin: 'http://b', attempt: 1 }, 'b 1'],
  ]);
  log.warn({ origin: 'http://a', attempt: 41 }, 'a 41');
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toEqual([[{ origin: 'http://a', attempt: 41 }, 'a 41']]);
});

test('what is still held is written at the end, once', () => {
  const { lines, log } = gathered();
  log.warn({ origin: 'http://a' }, 'first');
  log.warn({ origin: 'http://a' }, 'second');
  log.close();
  log.close();
  vi.advanceTimersByTime(120_000);
  expect(lines).toEqual([
    [{ origin: 'http://a', retries: 2 }, '2 requests were tried again within a minute; the last: second'],
  ]);
});

test('other warnings do not wait', () => {
  const { lines, log } = gathered();
  log.warn({ path: 'x' }, 'a copy is kept');
  expect(lines).toEqual([[{ path: 'x' }, 'a copy is kept']]);
});
