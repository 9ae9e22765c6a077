import { expect, test } from 'vitest';
import {
  askedPauseMs,
  type Headers,
  type ServerLimits,
  serverLimits,
} from '../../../src/extract/limits/serverLimits.ts';

const now = Date.UTC(2026, 0, 20, 12);

test.each<[Headers, ServerLimits]>([
  [{}, {}],
  [
    { 'ratelimit-limit': '8000', 'ratelimit-remaining': '7980', 'ratelimit-policy': '8000;w=60' },
    { limit: 8_000, remaining: 7_980, windowMs: 60_000 },
  ],
  [
    { 'ratelimit-limit': '100, 100;w=1, 1000;w=60', 'ratelimit-reset': '7' },
    { limit: 100, windowMs: 1_000, resetMs: 7_000 },
  ],
  [
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 + 30) },
    { limit: 60, remaining: 0, resetMs: 30_000 },
  ],
  [{ 'ratelimit-reset': String(now + 30_000) }, { resetMs: 30_000 }],
  [{ 'ratelimit-reset': String(now / 1_000 - 30) }, { resetMs: 0 }],
  // By the server's clock, from which the local one is ten minutes away.
  [{ 'x-ratelimit-reset': String(now / 1_000 + 630), date: 'Tue, 20 Jan 2026 12:10:00 GMT' }, { resetMs: 30_000 }],
  [{ 'x-ratelimit-reset': String(now - 570_000), date: 'Tue, 20 Jan 2026 11:50:00 GMT' }, { resetMs: 30_000 }],
  [{ 'x-ratelimit-reset': '2026-01-20T12:00:30Z' }, { resetMs: 30_000 }],
  [{ 'x-ratelimit-reset': '2026-01-20T13:00:30.5+01:00' }, { resetMs: 30_500 }],
  [
    { 'x-ratelimit-reset': 'Tue, 20 Jan 2026 12:00:30 GMT', date: 'Tue, 20 Jan 2026 12:00:10 GMT' },
    { resetMs: 20_000 },
  ],
  [{ 'ratelimit-reset': '1m30s' }, {}],
  [
    { ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60, "daily";q=9000;w=86400' },
    { limit: 100, remaining: 50, resetMs: 30_000, windowMs: 60_000 },
  ],
  [
    { ratelimit: 'limit=100, remaining=0, reset=7', 'ratelimit-policy': '100;w=60' },
    { limit: 100, remaining: 0, resetMs: 7_000, windowMs: 60_000 },
  ],
  [{ ratelimit: '"burst";r=9;t=1, "hour";r=0;t=20, "day";r=0;t=700' }, { remaining: 0, resetMs: 700_000 }],
  [{ ratelimit: ['"burst";r=9;t=1', '"day";r=3;t=700'] }, { remaining: 3, resetMs: 700_000 }],
  [{ ratelimit: '100' }, {}],
  [{ 'ratelimit-limit': 'many', 'ratelimit-remaining': '-1', 'ratelimit-reset': '' }, {}],
  [{ 'ratelimit-limit': '0' }, {}],
  [{ 'retry-after': '12' }, { retryAfterMs: 12_000 }],
  [{ 'retry-after': ['3', '9'] }, { retryAfterMs: 3_000 }],
  [{ 'retry-after': 'Tue, 20 Jan 2026 12:00:30 GMT', date: 'Tue, 20 Jan 2026 12:00:10 GMT' }, { retryAfterMs: 20_000 }],
  // More than a day is no wait that anybody means.
  [{ 'retry-after': '100000000000000000000' }, { retryAfterMs: 86_400_000, clamped: '100000000000000000000' }],
  [{ 'retry-after': '9'.repeat(400) }, { retryAfterMs: 86_400_000, clamped: '9'.repeat(400) }],
  [
    { 'retry-after': 'Sat, 13 Sep 275760 00:00:00 GMT' },
    { retryAfterMs: 86_400_000, clamped: 'Sat, 13 Sep 275760 00:00:00 GMT' },
  ],
  [{ 'ratelimit-reset': '9'.repeat(30) }, { resetMs: 86_400_000, clamped: '9'.repeat(30) }],
  [{ 'retry-after': '86400' }, { retryAfterMs: 86_400_000 }],
  [
    { 'retry-after': '5', 'x-ratelimit-reset': '1209600' },
    { retryAfterMs: 5_000, resetMs: 86_400_000 },
  ],
])('%j', (headers, limits) => {
  expect(serverLimits(headers, now)).toEqual(limits);
});

test.each([
  [429, { retryAfterMs: 5, resetMs: 9 }, 5],
  [429, { resetMs: 9 }, 9],
  [429, { remaining: 0, resetMs: 9 }, 9],
  [429, { remaining: 1, resetMs: 9 }, undefined],
  [429, { remaining: 1, retryAfterMs: 5, resetMs: 9 }, 5],
  [503, { retryAfterMs: 5 }, 5],
  [503, { resetMs: 9 }, undefined],
  [200, { retryAfterMs: 5, resetMs: 9 }, undefined],
  [429, {}, undefined],
])('an answer %i with %j asks to wait %s ms', (status, limits, pause) => {
  expect(askedPauseMs(status, limits)).toBe(pause);
});
