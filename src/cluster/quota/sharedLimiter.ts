import PQueue from 'p-queue';
import { throwIfAborted } from '../../extract/interruption.ts';
import { dailyQuotaSpent, waitTooLong } from '../../extract/limits/limitErrors.ts';
import { createLimiter, type Limiter, type OnAnswer } from '../../extract/limits/limiter.ts';
import type { LimiterOptions } from '../../extract/limits/limiterOptions.ts';
import { askedPauseMs, serverLimits } from '../../extract/limits/serverLimits.ts';
import { sha256 } from '../../load/sha256.ts';
import type { Sql } from '../ledger/control.ts';

/** The longest sleep before asking again, however long a wait was announced: a request whose answer never came may have made room by then. */
const longestSleepMs = 5_000;
const secondMs = 1_000;
const minuteMs = 60_000;

/**
 * A limiter that shares its origin's quota with all workers: before a request goes out the control database admits it, and is told what the
 * server answered. How many requests this process has under way, and its breaker, stay its own matter.
 *
 * @param key what the server counts by, beside the origin: kept as a hash only
 */
export function sharedLimiter(control: Sql, options: LimiterOptions, key: string | undefined): Limiter {
  const { breaker } = options;
  const { quota: _, usedToday: __, ...own } = options;
  const local = createLimiter(own);
  const shared = new SharedQuota(control, options, key);
  /** One asks at a time, or all of them would keep asking while there is no room. */
  const entrance = new PQueue({ concurrency: 1 });
  const admit = (weight: number, signal: AbortSignal | undefined) =>
    entrance
      .add(() => shared.admit(weight, signal))
      .catch((error: unknown) => {
        // It may be the one that was to try whether the server is back.
        breaker.left();
        throw error;
      });
  return {
    ...local,
    run: (weight, task, how = {}) =>
      local.run(
        weight,
        async (heard) => {
          const id = await admit(weight, how.signal);
          let told: Promise<unknown> | undefined;
          try {
            return await task((status, headers) => {
              heard(status, headers);
              told = shared.answered(id, status, headers);
              // If it cannot be told now, the next answer tells it; a request sent meanwhile meets the same outage.
              told.catch(() => {});
            });
          } finally {
            await (told ?? shared.answered(id)).catch(() => {});
          }
        },
        how,
      ),
    stats: () => ({ ...local.stats(), waitedMs: local.stats().waitedMs + shared.waitedMs }),
  };
}

/** What the quota of an origin with a key is called. */
export const quotaName = (origin: string, key = ''): string => `${origin} ${sha256(key).slice(0, 12)}`;

/** The quota of an origin as the control database keeps it. */
class SharedQuota {
  waitedMs = 0;
  readonly #control: Sql;
  readonly #options: LimiterOptions;
  readonly #name: string;

  constructor(control: Sql, options: LimiterOptions, key: string | undefined) {
    this.#control = control;
    this.#options = options;
    this.#name = quotaName(options.origin, key);
  }

  /** Waits until a request may be sent; gives its id. */
  async admit(weight: number, signal: AbortSignal | undefined): Promise<string> {
    const { origin, clock, quota = {}, maxWaitMs } = this.#options;
    for (;;) {
      throwIfAborted(signal);
      const [said] = await this.#control.query<{ request_id: string | null; wait_ms: string | null; used: string }>(
        'SELECT * FROM firn.admit($1, $2, $3, $4)',
        [this.#name, weight, quota.perMinute ?? null, quota.perDay ?? null],
      );
      if (said?.request_id) return said.request_id;
      const wait = Number(said?.wait_ms);
      if (wait < 0) throw dailyQuotaSpent(origin, quota.perDay ?? 0, Number(said?.used), weight);
      if (wait > maxWaitMs) throw waitTooLong(origin, clock.now() + wait, wait, maxWaitMs);
      const from = clock.now();
      await clock.sleep(Math.min(wait, longestSleepMs), signal);
      this.waitedMs += clock.now() - from;
    }
  }

  /** Tells what the server answered; nothing where no answer will come. */
  answered(id: string, status?: number, headers: Parameters<OnAnswer>[1] = {}): Promise<unknown> {
    const limits = serverLimits(headers, this.#options.clock.now());
    const pause = status === undefined ? undefined : askedPauseMs(status, limits);
    // Where it tells when its window ends and not how long that is, that may be far less than a minute, which counts else.
    const { windowMs, remaining, resetMs } = limits;
    const window =
      windowMs ??
      (remaining === undefined || resetMs === undefined ? undefined : Math.min(Math.max(resetMs, secondMs), minuteMs));
    const said = [limits.limit, window, limits.remaining, limits.resetMs, pause];
    return this.#control.query('SELECT firn.answered($1, $2, $3, $4, $5, $6)', [
      id,
      ...said.map((value) => (value === undefined ? null : Math.ceil(value))),
    ]);
  }
}
