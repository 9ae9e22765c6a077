import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AskedPause } from '../../../src/core/requests/askedPause.ts';
import { createAskedPause } from '../../../src/extract/limits/askedPause.ts';
import { createBreaker } from '../../../src/extract/limits/breaker.ts';
import { createLimiter } from '../../../src/extract/limits/limiter.ts';
import type { LimiterOptions } from '../../../src/extract/limits/limiterOptions.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { type FakeClock, fakeClock } from '../fakeClock.ts';

function limiterOn(clock: FakeClock, options: Partial<LimiterOptions> = {}) {
  const breaker = createBreaker({ origin: 'http://host', clock });
  return createLimiter({ origin: 'http://host', clock, breaker, concurrency: 4, maxWaitMs: 300_000, ...options });
}

describe('the own quota', () => {
  test('keeps any minute below its limit, in the order of asking', async () => {
    const clock = fakeClock();
    const limiter = limiterOn(clock, { quota: { perMinute: 100 } });
    const order: number[] = [];
    const sentAt: number[] = [];
    await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        limiter.run(10, async (heard) => {
          order.push(i);
          sentAt.push(clock.now());
          heard(200, {});
        }),
      ),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    for (let i = 10; i < sentAt.length; i += 1)
      expect((sentAt[i] ?? 0) - (sentAt[i - 10] ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(limiter.stats()).toMatchObject({ computeUnits: 250, waitedMs: 120_000 });
  });

  test('ends at once when the day is used up, and starts over the next day', async () => {
    const clock = fakeClock();
    const limiter = limiterOn(clock, { quota: { perDay: 1_000 }, usedToday: { day: '2026-01-20', used: 980 } });
    await limiter.run(20, async () => {});
    expect(limiter.usage()).toEqual({ day: '2026-01-20', used: 1_000 });
    const refused = limiter.run(20, async () => {});
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: false,
      context: { reason: 'daily_quota', used: 1_000 },
    });
    await expect(refused).rejects.toThrow(
      /daily quota of 1000 compute units for http:\/\/host .* Run again after 00:00 UTC/,
    );
    expect(clock.slept).toEqual([]);
    // From noon to the last moment of the day, and to the first of the next.
    clock.advance(43_200_000 - 1);
    await expect(limiter.run(20, async () => {})).rejects.toMatchObject({ code: 'rate_limited' });
    clock.advance(1);
    await limiter.run(20, async () => {});
    expect(limiter.usage()).toEqual({ day: '2026-01-21', used: 20 });
  });

  test('waits no longer where the clock is set back', async () => {
    const clock = fakeClock();
    const limiter = limiterOn(clock, { quota: { perMinute: 100 } });
    const limits = { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' };
    await limiter.run(100, async (heard) => heard(200, limits));
    clock.advance(-3_600_000);
    await limiter.run(10, async () => {});
    expect(clock.slept).toEqual([60_000]);
  });

  test('of a day that is less than one request needs is told as that: waiting does not help', async () => {
    const refused = limiterOn(fakeClock(), { quota: { perDay: 10 } }).run(20, async () => {});
    await expect(refused).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/Raise quota.perDay/),
    });
  });

  test('forgets what was used on another day', async () => {
    const limiter = limiterOn(fakeClock(), { quota: { perDay: 10 }, usedToday: { day: '2026-01-19', used: 10 } });
    await limiter.run(10, async () => {});
    expect(limiter.usage()).toEqual({ day: '2026-01-20', used: 10 });
  });
});

describe("the server's word", () => {
  test.each([
    [429, { 'retry-after': '30' }, 30_000],
    [429, { 'retry-after': 'Tue, 20 Jan 2026 12:00:30 GMT' }, 30_000],
    [429, { 'ratelimit-reset': '20' }, 20_000],
    [503, { 'retry-after': '30' }, 30_000],
  ])('a %i with %j holds back every request for %i ms', async (status, headers, pause) => {
    const clock = fakeClock();
    const limiter = limiterOn(clock);
    const start = clock.now();
    await limiter.run(1, async (heard) => heard(status, headers));
    const sentAt: number[] = [];
    await Promise.all([1, 2, 3].map(() => limiter.run(1, async () => void sentAt.push(clock.now()))));
    expect(Math.min(...sentAt)).toBe(start + pause);
  });

  test('a wait longer than the longest ends at once, for everyone', async () => {
    const clock = fakeClock();
    const limiter = limiterOn(clock);
    await limiter.run(1, async (heard) => heard(429, { 'retry-after': '3600' }));
    const refused = limiter.run(1, async () => {});
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryable: false });
    await expect(refused).rejects.toThrow(/asks for no requests until 2026-01-20T13:00:00.*Run again after that/);
    expect(clock.slept).toEqual([]);
  });

  test('a pause of a run whose clock was ahead ends by this clock, for the next run too', async () => {
    const clock = fakeClock();
    const now = clock.now();
    const ahead = { saidAt: now + 172_800_000, until: now + 172_800_000 + 3_600_000 };
    const kept: AskedPause[] = [];
    const pause = (known?: AskedPause) => createAskedPause(known, async (said) => void kept.push(said));
    const refused = limiterOn(clock, { pause: pause(ahead) }).run(1, async () => {});
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited' });
    expect(kept).toEqual([{ saidAt: now, until: now + 3_600_000 }]);
    clock.advance(3_600_000);
    await limiterOn(clock, { pause: pause(kept[0]) }).run(1, async () => {});
    expect(kept).toHaveLength(1);
  });

  test('a pause that an earlier run kept lasts no longer than a day', async () => {
    const clock = fakeClock();
    const now = clock.now();
    const pause = createAskedPause({ saidAt: now, until: now + 1e12 });
    expect(pause.waitMs(now)).toBe(86_400_000);
  });

  test('an answer that comes while a pause is made durable is not missed', { timeout: 2_000 }, async () => {
    const noting = nextTurn().then(nextTurn);
    const pause = createAskedPause(undefined, async () => void (await noting.then(nextTurn)));
    const limiter = limiterOn(fakeClock(), { pause });
    const other = limiter.run(1, async (heard) => {
      await noting;
      heard(200, {});
    });
    await limiter.run(1, async (heard) => heard(429, { 'retry-after': '1', 'ratelimit-remaining': '0' }));
    await Promise.all([other, limiter.run(1, async (heard) => heard(200, {}))]);
  });

  test('a longer pause is not cut by a shorter one', async () => {
    const clock = fakeClock();
    const limiter = limiterOn(clock);
    const start = clock.now();
    await Promise.all(
      ['30', '1'].map((seconds) => limiter.run(1, async (heard) => heard(429, { 'retry-after': seconds }))),
    );
    await limiter.run(1, async () => {});
    expect(clock.now()).toBe(start + 30_000);
  });

  test('about waiting counts only in answers that refuse', async () => {
    const clock = fakeClock();
    const limiter = limiterOn(clock);
    await limiter.run(1, async (heard) => heard(200, { 'retry-after': '30' }));
    await limiter.run(1, async () => {});
    expect(clock.slept).toEqual([]);
  });
});

describe('against a server with a quota', () => {
  const kinds = ['fixed window with reset', 'fixed window', 'sliding window'] as const;
  const scenario = fc.record({
    kind: fc.constantFrom(...kinds),
    limit: fc.integer({ min: 50, max: 400 }),
    shrunk: fc.integer({ min: 50, max: 400 }),
    weights: fc.array(fc.constantFrom(1, 10, 20, 50), { minLength: 1, maxLength: 60 }),
    offset: fc.nat(59_999),
  });

  test('is never refused once it has heard the first answer, though the quota changes in mid-run', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ kind, limit, shrunk, weights, offset }) => {
        const clock = fakeClock();
        const limiter = limiterOn(clock);
        const log: { at: number; weight: number }[] = [];
        let refused = 0;
        let served = 0;
        const windowStart = (now: number) => Math.floor((now + offset) / 60_000) * 60_000 - offset;
        const serve = (weight: number) => {
          const now = clock.now();
          const current = served > weights.length / 2 ? Math.min(limit, shrunk) : limit;
          const from = kind === 'sliding window' ? now - 60_000 : windowStart(now) - 1;
          const used = log.reduce((sum, entry) => (entry.at > from ? sum + entry.weight : sum), 0);
          const reset = Math.ceil((windowStart(now) + 60_000 - now) / 1_000);
          const ok = used + weight <= current;
          if (ok) log.push({ at: now, weight });
          served += 1;
          const headers = {
            'ratelimit-limit': String(current),
            'ratelimit-remaining': String(Math.max(0, current - used - (ok ? weight : 0))),
            ...((kind === 'fixed window with reset' || !ok) && {
              'ratelimit-reset': String(kind === 'sliding window' ? 60 : reset),
            }),
          };
          return { ok, headers };
        };
        const send = async (weight: number): Promise<void> => {
          for (let again = false; ; again = true) {
            const done = await limiter.run(
              weight,
              async (heard) => {
                await new Promise((resolve) => setImmediate(resolve));
                const { ok, headers } = serve(weight);
                heard(ok ? 200 : 429, headers);
                return ok;
              },
              { again },
            );
            if (done) return;
            refused += 1;
          }
        };
        await send(weights[0] ?? 1);
        await Promise.all(weights.slice(1).map(send));
        // What was allowed before the quota shrank may already be above the new one: one refusal tells of it.
        expect(refused).toBeLessThanOrEqual(shrunk < limit ? 4 : 0);
      }),
      { numRuns: fuzzRuns(150) },
    );
  });
});

describe('concurrency', () => {
  test('never exceeds the most, and halves when a silent server shows overload', async () => {
    const limiter = limiterOn(fakeClock(), { concurrency: 4 });
    let running = 0;
    let most = 0;
    const work = (status: number) =>
      limiter.run(1, async (heard) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        heard(status, {});
      });
    await Promise.all(Array.from({ length: 40 }, () => work(200)));
    expect(most).toBe(4);
    expect(limiter.stats().concurrency).toBe(4);
    await work(503);
    expect(limiter.stats().concurrency).toBe(2);
    await work(429);
    expect(limiter.stats().concurrency).toBe(1);
  });

  test('stays where the server says itself how fast to go', async () => {
    const limiter = limiterOn(fakeClock(), { concurrency: 4 });
    await limiter.run(1, async (heard) => heard(429, { 'retry-after': '1' }));
    expect(limiter.stats().concurrency).toBe(2);
  });

  test('halves where something is left of the quota that the server tells of, whose reset nobody waits for', async () => {
    const limiter = limiterOn(fakeClock(), { concurrency: 4 });
    await limiter.run(1, async (heard) => heard(429, { 'ratelimit-remaining': '9', 'ratelimit-reset': '80000' }));
    expect(limiter.stats().concurrency).toBe(1);
    await limiter.run(1, async (heard) => heard(200, {}));
  });

  test('halves where no answer comes, but not where none is wanted any more', async () => {
    const limiter = limiterOn(fakeClock(), { concurrency: 4 });
    const abort = new AbortController();
    const broken = async () => {
      throw new Error('it broke');
    };
    const aborted = limiter.run(1, async () => abort.abort(), { signal: abort.signal });
    await aborted.catch(() => undefined);
    expect(limiter.stats().concurrency).toBe(2);
    await expect(limiter.run(1, broken)).rejects.toThrow('it broke');
    expect(limiter.stats().concurrency).toBe(1);
  });

  test('lets requests that were sent before go first', async () => {
    const limiter = limiterOn(fakeClock(), { concurrency: 2 });
    const order: string[] = [];
    const work = (name: string, again: boolean) =>
      limiter.run(
        1,
        async (heard) => {
          await new Promise((resolve) => setImmediate(resolve));
          order.push(name);
          heard(200, {});
        },
        { again },
      );
    await Promise.all([work('running', false), work('new', false), work('new', false), work('again', true)]);
    expect(order[1]).toBe('again');
  });
});

describe('the breaker', () => {
  test('makes requests wait for the one that tries', async () => {
    const clock = fakeClock();
    const breaker = createBreaker({ origin: 'http://host', clock, failures: 1, coolDownMs: 1_000 });
    const limiter = limiterOn(clock, { breaker });
    breaker.failed('it broke.');
    let running = 0;
    let tries = 0;
    const work = () =>
      limiter.run(1, async (heard) => {
        running += 1;
        tries += 1;
        if (tries === 1) expect(running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
        if (tries === 1) expect(running).toBe(1);
        breaker.answered();
        heard(200, {});
        running -= 1;
      });
    await Promise.all([work(), work(), work(), work()]);
    expect(tries).toBe(4);
    expect(clock.slept).toEqual([1_000]);
  });
});

test('a request waits for the headers of another answer, not for all of it', { timeout: 2_000 }, async () => {
  const limiter = limiterOn(fakeClock());
  const one = { 'ratelimit-remaining': '1' };
  await limiter.run(1, async (heard) => heard(200, one));
  let arrived = () => {};
  const whole = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const first = limiter.run(1, async (heard) => {
    await nextTurn();
    heard(200, one);
    await whole;
  });
  await Promise.all([first, limiter.run(1, async () => arrived())]);
});

test('a request that had no answer takes nothing of what the server has left', { timeout: 2_000 }, async () => {
  const limiter = limiterOn(fakeClock());
  await limiter.run(1, async (heard) => heard(200, { 'ratelimit-remaining': '1' }));
  const broken = limiter.run(1, async () => {
    throw new Error('it broke');
  });
  await expect(broken).rejects.toThrow('it broke');
  await limiter.run(1, async (heard) => heard(200, { 'ratelimit-remaining': '0' }));
});

describe('an aborted signal', () => {
  test.each(['in the queue', 'in the wait for the quota', 'in the wait for an answer'])(
    'ends a request %s',
    async (where) => {
      const clock = fakeClock();
      const abort = new AbortController();
      const waiting: FakeClock = {
        ...clock,
        sleep: (_, signal) =>
          new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      };
      const limiter = limiterOn(waiting, {
        concurrency: where === 'in the queue' ? 1 : 4,
        quota: { perMinute: where === 'in the wait for the quota' ? 1 : 100 },
      });
      let finish = () => {};
      const first = limiter.run(1, async (heard) => {
        if (where === 'in the wait for an answer') heard(200, { 'ratelimit-remaining': '1' });
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      });
      const held = where === 'in the wait for an answer' ? limiter.run(1, () => first) : first;
      const ended = limiter.run(1, async () => 'sent', { signal: abort.signal });
      setImmediate(() => abort.abort(new Error('enough')));
      await expect(ended).rejects.toThrow();
      finish();
      await Promise.all([first, held]);
    },
  );
});
