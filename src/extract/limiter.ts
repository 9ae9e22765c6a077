import { EventEmitter, once } from 'node:events';
import PQueue from 'p-queue';
import { FirnError } from '../core/firnError.ts';
import type { Breaker } from './breaker.ts';
import { type Clock, steadyClock } from './clock.ts';
import { createConcurrency } from './concurrency.ts';
import { throwIfAborted } from './interruption.ts';
import { askedPauseMs, type Headers, longestPauseMs, serverLimits } from './serverLimits.ts';
import { createServerQuota } from './serverQuota.ts';
import { createSlidingWindow } from './slidingWindow.ts';

/** Limits in compute units, from the configuration. */
export interface Quota {
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** Compute units used in one day (UTC); kept in the state between runs. */
export interface DailyUsage {
  /** `2026-01-20` */
  readonly day: string;
  readonly used: number;
}

/** A server's wish for no request until a moment, and when it said so; both in milliseconds since the epoch. */
export interface Pause {
  readonly saidAt: number;
  readonly until: number;
}

/** Tells the limiter what came back, as soon as the head of the answer is there. */
export type OnAnswer = (status: number, headers: Headers) => void;

/** Decides when a request may be sent. One per source. */
export interface Limiter {
  /**
   * Runs `task` when its turn comes: a free place, room in the configured quota and in the server's, no pause asked for by the
   * server, breaker closed. `again` puts a request that was sent before ahead of new ones.
   *
   * @throws FirnError `rate_limited` at once when the day's quota is used up or the wait would be too long; `unavailable`
   *   from the breaker; `interrupted`
   */
  run<T>(
    weight: number,
    task: (heard: OnAnswer) => Promise<T>,
    options?: { signal?: AbortSignal | undefined; again?: boolean },
  ): Promise<T>;
  /** Ends when the pause that the server asked for last is durable; what waits for the pause waits for that first. */
  noted(): Promise<void>;
  usage(): DailyUsage;
  stats(): LimiterStats;
}

interface LimiterStats {
  readonly concurrency: number;
  /** Compute units of all requests sent. */
  readonly computeUnits: number;
  /** Milliseconds in which the limits let nothing be sent. */
  readonly waitedMs: number;
}

export interface LimiterOptions {
  readonly origin: string;
  readonly clock: Clock;
  readonly breaker: Breaker;
  readonly quota?: Quota | undefined;
  readonly usedToday?: DailyUsage | undefined;
  /** Requests under way at most. */
  readonly concurrency: number;
  /** A request that would wait longer is refused. */
  readonly maxWaitMs: number;
  /** What the server asked an earlier run for. */
  readonly pause?: Pause | undefined;
  /** Makes a pause durable. */
  readonly onPause?: ((pause: Pause) => Promise<void>) | undefined;
}

const dayMs = 86_400_000;

/**
 * A limiter of our own, since p-queue counts requests: a quota counts compute units, over days and runs, and a server's headers come first.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { origin, clock, breaker, quota = {}, maxWaitMs } = options;
  const concurrency = createConcurrency(options.concurrency);
  const queue = new PQueue({ concurrency: concurrency.current() });
  /** One request at a time waits for its turn, so that light ones do not overtake heavy ones for ever. */
  const entrance = new PQueue({ concurrency: 1 });
  const events = new EventEmitter<{ settled: [] }>();
  const steady = steadyClock(clock);
  const minute = createSlidingWindow(60_000);
  const server = createServerQuota();
  const day = createDay(options.usedToday);
  const asked = createAskedPause(options.pause, options.onPause);
  let computeUnits = 0;
  let waitedMs = 0;

  const waitFor = (weight: number): number => {
    const now = clock.now();
    const { used } = day.usage(now);
    if (quota.perDay !== undefined && used + weight > quota.perDay)
      throw dailyQuotaSpent(origin, quota.perDay, used, weight);
    const pause = asked.waitMs(now);
    if (pause > maxWaitMs) throw waitTooLong(origin, now + pause, pause, maxWaitMs);
    const own = quota.perMinute === undefined ? 0 : minute.waitMs(weight, quota.perMinute, steady.now());
    const servers = server.waitMs(weight, steady.now());
    if (servers !== Number.POSITIVE_INFINITY && servers > maxWaitMs)
      throw waitTooLong(origin, now + servers, servers, maxWaitMs);
    return Math.max(pause, own, servers, 0);
  };

  /** Waits until `weight` may be sent, and books it. */
  const admit = async (weight: number, signal: AbortSignal | undefined): Promise<number> => {
    for (;;) {
      throwIfAborted(signal);
      const wait = waitFor(weight) || breaker.tryEnter();
      if (wait === 0) break;
      await asked.noted();
      const from = clock.now();
      if (wait === Number.POSITIVE_INFINITY) await once(events, 'settled', signal && { signal });
      else await clock.sleep(wait, signal);
      waitedMs += clock.now() - from;
    }
    day.spend(weight, clock.now());
    computeUnits += weight;
    minute.spend(weight, steady.now());
    server.sent(weight, steady.now());
    return concurrency.ticket();
  };

  return {
    async run(weight, task, { signal, again = false } = {}) {
      const work = async () => {
        const ticket = await entrance.add(() => admit(weight, signal));
        let answered = false;
        const heard: OnAnswer = (status, headers) => {
          answered = true;
          const now = clock.now();
          const limits = serverLimits(headers, now);
          server.answered(weight, steady.now(), limits);
          const pause = askedPauseMs(status, limits);
          if (pause !== undefined) asked.pause(now, pause);
          const serverSays = pause !== undefined || limits.remaining !== undefined;
          if (status >= 500 || (status === 429 && !serverSays)) concurrency.down(ticket);
          else if (status < 300) concurrency.up();
          events.emit('settled');
        };
        try {
          return await task(heard);
        } finally {
          if (!answered) {
            server.answered(weight, steady.now());
            if (!signal?.aborted) concurrency.down(ticket);
          }
          queue.concurrency = concurrency.current();
          events.emit('settled');
        }
      };
      return queue.add(work, { priority: again ? 1 : 0, ...(signal && { signal }) });
    },
    noted: asked.noted,
    usage: () => day.usage(clock.now()),
    stats: () => ({ concurrency: concurrency.current(), computeUnits, waitedMs }),
  };
}

/** Compute units used today. */
function createDay(known: DailyUsage = { day: '', used: 0 }) {
  let today = known;
  let endsAt = 0;
  const usage = (now: number): DailyUsage => {
    if (now >= endsAt) {
      const day = new Date(now).toISOString().slice(0, 10);
      if (today.day !== day) today = { day, used: 0 };
      endsAt = Date.parse(day) + dayMs;
    }
    return today;
  };
  return {
    usage,
    spend(weight: number, now: number) {
      const { day, used } = usage(now);
      today = { day, used: used + weight };
    },
  };
}

/** The pause that the server asked for. @param known as an earlier run kept it: no file makes it longer than a server can */
function createAskedPause(known: Pause | undefined, onPause: LimiterOptions['onPause']) {
  let paused = known && { ...known, until: Math.min(known.until, known.saidAt + longestPauseMs) };
  let noted: Promise<void> | undefined;
  const keep = (pause: Pause): void => {
    paused = pause;
    noted = onPause?.(pause);
    // Whoever waits for it gets the error.
    noted?.catch(() => {});
  };
  return {
    waitMs(now: number): number {
      const held = anchored(paused, now);
      // Kept, so that it ends by this clock for later runs, too.
      if (held && held !== paused) keep(held);
      return held ? held.until - now : 0;
    },
    pause(now: number, ms: number): void {
      if (now + ms > (anchored(paused, now)?.until ?? 0)) keep({ saidAt: now, until: now + ms });
    },
    noted: async () => noted,
  };
}

/** The same pause by a clock that may have been set back since: it never lasts longer than the server asked for. */
function anchored(pause: Pause | undefined, now: number): Pause | undefined {
  return pause && now < pause.saidAt ? { saidAt: now, until: now + pause.until - pause.saidAt } : pause;
}

/** The error of a day's quota that leaves no room. */
export function dailyQuotaSpent(origin: string, perDay: number, used: number, weight: number): FirnError {
  if (weight > perDay)
    return new FirnError(
      'config',
      `The daily quota of ${perDay} compute units for ${origin} is less than a request of ${weight} needs. ` +
        'Raise quota.perDay of this source, or leave out the streams that need more.',
      { context: { origin, reason: 'daily_quota', perDay, used } },
    );
  return new FirnError(
    'rate_limited',
    `The daily quota of ${perDay} compute units for ${origin} is used up: ${used} are used, and the next request needs ${weight}. ` +
      'Run again after 00:00 UTC, or raise quota.perDay of this source: what was committed stays.',
    { context: { origin, reason: 'daily_quota', perDay, used } },
  );
}

/** The error of a wait that is too long. */
export function waitTooLong(origin: string, until: number, waitMs: number, maxWaitMs: number): FirnError {
  return new FirnError(
    'rate_limited',
    `${origin} asks for no requests for ${Math.ceil(waitMs / 1_000)} s, and firn waits ${maxWaitMs / 1_000} s at most. ` +
      `Run again after ${new Date(until).toISOString()}: what was committed stays.`,
    { context: { origin, reason: 'long_wait', retryAfterMs: waitMs } },
  );
}
