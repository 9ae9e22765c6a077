import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { sharedLimiter } from '../../../src/cluster/quota/sharedLimiter.ts';
import { systemClock } from '../../../src/extract/clock.ts';
import { createBreaker } from '../../../src/extract/limits/breaker.ts';
import type { Quota } from '../../../src/extract/limits/limiterOptions.ts';
import type { Headers } from '../../../src/extract/limits/serverLimits.ts';
import { freshDatabase } from '../postgres.ts';

let control: Control;
beforeAll(async () => {
  control = await openControl(await freshDatabase());
});
afterAll(() => control.close());

/** Limiters of as many workers, of one origin. */
function workers(
  count: number,
  origin: string,
  { quota, key = 'secret', maxWaitMs = 60_000 }: { quota?: Quota; key?: string; maxWaitMs?: number } = {},
) {
  const clock = systemClock;
  return Array.from({ length: count }, () =>
    sharedLimiter(
      control,
      { origin, clock, breaker: createBreaker({ origin, clock }), concurrency: 8, maxWaitMs, quota },
      key,
    ),
  );
}

/** A server that lets through so many requests a window, and says so. */
function createServer({ limit, windowMs }: { limit: number; windowMs: number }) {
  let used = 0;
  let ends = 0;
  const count = { ok: 0, refused: 0 };
  const answer = (): { status: number; headers: Headers } => {
    const now = Date.now();
    if (now >= ends) {
      ends = now + windowMs;
      used = 0;
    }
    const isRefused = used >= limit;
    used += isRefused ? 0 : 1;
    count[isRefused ? 'refused' : 'ok']++;
    const headers = {
      'ratelimit-limit': `${limit}`,
      'ratelimit-policy': `${limit};w=${windowMs / 1000}`,
      'ratelimit-remaining': `${limit - used}`,
      'ratelimit-reset': `${(ends - now) / 1000}`,
    };
    return { status: isRefused ? 429 : 200, headers };
  };
  return { count, answer };
}

const send = (
  limiter: ReturnType<typeof sharedLimiter>,
  answer: () => { status: number; headers: Headers },
  weight = 1,
) =>
  limiter.run(weight, async (heard) => {
    await wait(2);
    const { status, headers } = answer();
    heard(status, headers);
    return status;
  });

test('four workers spend what one server announces, and meet no refusal', { tags: 'long' }, async () => {
  const server = createServer({ limit: 20, windowMs: 1000 });
  const all = workers(4, 'http://announced');
  const said = await Promise.all(Array.from({ length: 70 }, (_, i) => send(all[i % 4] as never, server.answer)));
  expect(new Set(said)).toEqual(new Set([200]));
  expect(server.count).toEqual({ ok: 70, refused: 0 });
});

test('of a window whose end alone is told, no more is waited for than that', async () => {
  const [one] = workers(1, 'http://resetting');
  const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': '9', 'ratelimit-reset': '1' };
  for (let i = 0; i < 10; i += 1) await send(one as never, () => ({ status: 200, headers }));
  const [row] = await control.query<{ wait_ms: string | null }>(
    `SELECT wait_ms FROM firn.admit((SELECT name FROM firn.quota WHERE name LIKE 'http://resetting%'), 1, NULL, NULL)`,
  );
  expect(Number(row?.wait_ms)).toBeLessThanOrEqual(1000);
});

test('of an hour whose end alone is told, a minute counts: what remains is told with each answer', async () => {
  const [one] = workers(1, 'http://hourly');
  const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': '9', 'ratelimit-reset': '3600' };
  await send(one as never, () => ({ status: 200, headers }));
  const [row] = await control.query<{ window_ms: string }>(
    `SELECT window_ms FROM firn.quota WHERE name LIKE 'http://hourly%'`,
  );
  expect(Number(row?.window_ms)).toBe(60_000);
});

test('a pause that one worker is asked for holds all of them, and one that is too long is an error', {
  tags: 'long',
}, async () => {
  const [one, two] = workers(2, 'http://pausing', { maxWaitMs: 5000 });
  await send(one as never, () => ({ status: 503, headers: { 'retry-after': '1' } }));
  const [row] = await control.query<{ wait_ms: string }>(
    `SELECT wait_ms FROM firn.admit((SELECT name FROM firn.quota WHERE name LIKE 'http://pausing%'), 1, NULL, NULL)`,
  );
  expect(Number(row?.wait_ms)).toBeGreaterThan(0);
  expect(Number(row?.wait_ms)).toBeLessThanOrEqual(1000);
  expect(await send(two as never, () => ({ status: 200, headers: {} }))).toBe(200);
  await send(one as never, () => ({ status: 429, headers: { 'retry-after': '3600' } }));
  await expect(send(two as never, () => ({ status: 200, headers: {} }))).rejects.toMatchObject({
    code: 'rate_limited',
    context: { reason: 'long_wait' },
  });
});

test('the quota of a day is one for all workers of a key', async () => {
  const [one, two] = workers(2, 'http://daily', { quota: { perDay: 10 } });
  const fine = () => ({ status: 200, headers: {} });
  await send(one as never, fine, 6);
  await expect(send(two as never, fine, 5)).rejects.toMatchObject({ context: { reason: 'daily_quota', used: 6 } });
  await send(two as never, fine, 4);
  const [other] = workers(1, 'http://daily', { quota: { perDay: 10 }, key: 'another' });
  expect(await send(other as never, fine, 10)).toBe(200);
});

test('a request that the quota refuses leaves it to another to try whether the server is back', async () => {
  const origin = 'http://failing';
  const breaker = createBreaker({ origin, clock: systemClock, failures: 1, coolDownMs: 1 });
  const shared = { origin, clock: systemClock, breaker, concurrency: 8, maxWaitMs: 60_000, quota: { perDay: 10 } };
  const limiter = sharedLimiter(control, shared, 'secret');
  const fine = () => ({ status: 200, headers: {} });
  await send(limiter, fine, 6);
  breaker.failed('it broke.');
  await expect(send(limiter, fine, 5)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await send(limiter, fine, 4)).toBe(200);
});

test('neither key nor header stands in the control database', async () => {
  await send(workers(1, 'http://secret')[0] as never, () => ({ status: 200, headers: {} }));
  expect(JSON.stringify(await control.query('SELECT * FROM firn.quota'))).not.toContain('"secret"');
  expect((await control.query(`SELECT name FROM firn.quota WHERE name LIKE 'http://secret%'`))[0]).toMatchObject({
    name: expect.stringMatching(/^http:\/\/secret [0-9a-f]{12}$/),
  });
});

test('requests of before the clock of the control database was set back take no room, nor does what the server wanted then', async () => {
  const admit = () =>
    control.query<{ request_id: string | null }>(`SELECT request_id FROM firn.admit('http://set-back', 1, 1, NULL)`);
  await admit();
  expect(await admit()).toEqual([{ request_id: null }]);
  await control.query(`UPDATE firn.request SET sent_at = sent_at + interval '1 day' WHERE name = 'http://set-back'`);
  await control.query(
    `UPDATE firn.quota SET paused_until = now() + interval '1 day', remaining = 0, reset_at = now() + interval '1 day' WHERE name = 'http://set-back'`,
  );
  expect(await admit()).toEqual([{ request_id: expect.any(String) }]);
  expect(await admit()).toEqual([{ request_id: null }]);
});

/** What the database admits after a story of admitted and answered requests; times are moved instead of waited for. */
async function story(
  name: string,
  steps: readonly (
    | readonly ['admit', number]
    | readonly ['answer', number, Record<string, number>]
    | readonly ['later', number]
  )[],
  limits: { perMinute?: number } = {},
) {
  const ids: string[] = [];
  const waits: number[] = [];
  for (const step of steps) {
    if (step[0] === 'admit') {
      const [said] = await control.query<{ request_id: string | null; wait_ms: string | null }>(
        'SELECT * FROM firn.admit($1, $2, $3, NULL)',
        [name, step[1], limits.perMinute ?? null],
      );
      if (said?.request_id) ids.push(said.request_id);
      waits.push(Number(said?.wait_ms ?? 0));
    } else if (step[0] === 'answer') {
      const { limit = null, window = null, remaining = null, reset = null, pause = null } = step[2];
      await control.query('SELECT firn.answered($1, $2, $3, $4, $5, $6)', [
        ids[step[1]],
        limit,
        window,
        remaining,
        reset,
        pause,
      ]);
    } else {
      const by = `interval '${step[1]} milliseconds'`;
      await control.query(`UPDATE firn.request SET sent_at = sent_at - ${by} WHERE name = $1`, [name]);
      await control.query(
        `UPDATE firn.quota SET reset_at = reset_at - ${by}, paused_until = paused_until - ${by} WHERE name = $1`,
        [name],
      );
    }
  }
  return waits.map((ms) => (ms === 0 ? 'sent' : ms <= 60 ? 'soon' : `${Math.ceil(ms / 1000)} s`));
}

test.each([
  [
    'an own quota counts in any minute',
    { perMinute: 3 },
    [
      ['admit', 2],
      ['admit', 1],
      ['admit', 1],
      ['later', 59_000],
      ['admit', 1],
      ['later', 1000],
      ['admit', 3],
    ],
    ['sent', 'sent', '60 s', '1 s', 'sent'],
  ],
  [
    'a server that has no room and does not say until when is asked once a second, and no more often than an own quota lets',
    { perMinute: 2 },
    [
      ['admit', 1],
      ['answer', 0, { remaining: 0 }],
      ['admit', 1],
      ['later', 1000],
      ['admit', 1],
      ['answer', 1, { remaining: 0 }],
      ['later', 1000],
      ['admit', 1],
      ['later', 58_000],
      ['admit', 1],
    ],
    ['sent', '1 s', 'sent', '58 s', 'sent'],
  ],
  [
    'a weight above the quota goes alone',
    { perMinute: 3 },
    [
      ['admit', 5],
      ['admit', 1],
      ['later', 60_000],
      ['admit', 9],
    ],
    ['sent', '60 s', 'sent'],
  ],
  [
    'what is under way counts as not yet deducted',
    {},
    [
      ['admit', 1],
      ['answer', 0, { remaining: 2, reset: 9000 }],
      ['admit', 1],
      ['admit', 1],
      ['admit', 1],
    ],
    ['sent', 'sent', 'sent', 'soon'],
  ],
  [
    'of answers in another order the lowest counts',
    {},
    [
      ['admit', 1],
      ['admit', 1],
      ['answer', 1, { remaining: 0, reset: 9000 }],
      ['answer', 0, { remaining: 1, reset: 9000 }],
      ['admit', 1],
    ],
    ['sent', 'sent', '9 s'],
  ],
  [
    'a new window has room again',
    {},
    [
      ['admit', 1],
      ['answer', 0, { remaining: 0, reset: 9000 }],
      ['admit', 1],
      ['later', 9000],
      ['admit', 1],
      ['answer', 1, { remaining: 4, reset: 9000 }],
      ['admit', 4],
      ['admit', 1],
    ],
    ['sent', '9 s', 'sent', 'sent', 'soon'],
  ],
  [
    'an announced limit counts in any window of its length',
    {},
    [
      ['admit', 1],
      ['answer', 0, { limit: 2, window: 10_000 }],
      ['admit', 1],
      ['admit', 1],
      ['later', 10_000],
      ['admit', 2],
    ],
    ['sent', 'sent', '10 s', 'sent'],
  ],
  [
    'a window of days is followed by what remains only',
    {},
    [
      ['admit', 1],
      ['answer', 0, { limit: 1, window: 86_400_000, remaining: 9, reset: 9_000_000 }],
      ['admit', 1],
    ],
    ['sent', 'sent'],
  ],
  [
    'an answer that never comes holds room for five minutes',
    {},
    [
      ['admit', 1],
      ['admit', 1],
      ['answer', 1, { remaining: 1, reset: 900_000 }],
      ['admit', 1],
      ['later', 300_000],
      ['admit', 1],
    ],
    ['sent', 'sent', 'soon', 'sent'],
  ],
  [
    'a server that names no reset is asked once a second',
    {},
    [
      ['admit', 1],
      ['answer', 0, { remaining: 0 }],
      ['admit', 1],
      ['later', 1000],
      ['admit', 1],
    ],
    ['sent', '1 s', 'sent'],
  ],
] as const)('%s', async (name, limits, steps, expected) => {
  expect(await story(name, steps as never, limits)).toEqual(expected);
});

test('a server that counts requests is told from one that counts compute units', async () => {
  const answers = [9, 8, 7, 6, 5, 4].flatMap(
    (remaining, i) =>
      [
        ['admit', 3],
        ['answer', i, { remaining, reset: 9000 }],
      ] as const,
  );
  expect((await story('counts requests', [...answers, ['admit', 3], ['admit', 3]] as never)).slice(-2)).toEqual([
    'sent',
    'sent',
  ]);
});

test('who waits asks again at least every five seconds, and of a request that brought no answer it is told', async () => {
  const asked: unknown[] = [];
  const slept: number[] = [];
  const query = async (sql: string, values: readonly unknown[] = []) => {
    asked.push([sql.includes('admit') ? 'admit' : 'answered', values[0]]);
    return [
      asked.length === 1 ? { request_id: null, wait_ms: '60000' } : { request_id: '7', wait_ms: null },
    ] as never[];
  };
  const clock = { ...systemClock, sleep: async (ms: number) => void slept.push(ms) };
  const limiter = (maxWaitMs: number) => {
    const origin = 'http://silent';
    return sharedLimiter(
      { query },
      { origin, clock, breaker: createBreaker({ origin, clock }), concurrency: 1, maxWaitMs },
      'k',
    );
  };
  const silent = () => Promise.reject(new Error('nothing came'));
  await expect(limiter(60_000).run(1, silent)).rejects.toThrow('nothing came');
  expect(asked.map((one) => (one as string[])[0])).toEqual(['admit', 'admit', 'answered']);
  expect(asked.at(-1)).toEqual(['answered', '7']);
  expect(slept).toEqual([5000]);
  asked.length = 0;
  await expect(limiter(59_000).run(1, silent)).rejects.toThrow(/http:\/\/silent/);
  expect(asked).toHaveLength(1);
});
