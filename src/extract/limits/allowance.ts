import type { DailyUsage } from '../../core/requests/dailyUsage.ts';
import { steadyClock } from '../clock.ts';
import { createAskedPause } from './askedPause.ts';
import { createDailyUsage } from './dailyUsage.ts';
import { dailyQuotaSpent, waitTooLong } from './limitErrors.ts';
import type { LimiterOptions } from './limiterOptions.ts';
import { askedPauseMs, type Headers, serverLimits } from './serverLimits.ts';
import { createServerQuota } from './serverQuota.ts';
import { createSlidingWindow } from './slidingWindow.ts';

/** What the configured quota and the server allow now. */
export class Allowance {
  readonly #options: LimiterOptions;
  /** For lengths of time: it is not set back. */
  readonly #steady;
  readonly #minute = createSlidingWindow(60_000);
  readonly #server = createServerQuota();
  readonly #day;
  readonly #asked;

  constructor(options: LimiterOptions) {
    this.#options = options;
    this.#steady = steadyClock(options.clock);
    this.#day = createDailyUsage(options.usedToday);
    this.#asked = options.pause ?? createAskedPause();
  }

  /**
   * Milliseconds until a request of this weight may be sent; Infinity: until one of the answers under way has come.
   *
   * @throws FirnError `rate_limited` where that is too long, or not today · `config` where the day's quota is less than the weight
   */
  waitMs(weight: number): number {
    const { origin, clock, quota = {}, maxWaitMs } = this.#options;
    const now = clock.now();
    const { used } = this.#day.usage(now);
    if (quota.perDay !== undefined && used + weight > quota.perDay)
      throw dailyQuotaSpent(origin, quota.perDay, used, weight);
    const pause = this.#asked.waitMs(now);
    if (pause > maxWaitMs) throw waitTooLong(origin, now + pause, pause, maxWaitMs);
    const steady = this.#steady.now();
    const own = quota.perMinute === undefined ? 0 : this.#minute.waitMs(weight, quota.perMinute, steady);
    const servers = this.#server.waitMs(weight, steady);
    if (servers !== Number.POSITIVE_INFINITY && servers > maxWaitMs)
      throw waitTooLong(origin, now + servers, servers, maxWaitMs);
    return Math.max(pause, own, servers, 0);
  }

  /** Books a request that is sent now. */
  spend(weight: number): void {
    this.#day.spend(weight, this.#options.clock.now());
    this.#minute.spend(weight, this.#steady.now());
    this.#server.sent(weight, this.#steady.now());
  }

  /** Takes note of an answer; gives whether it says how much the server allows: a 429 with something left is about another limit. */
  answered(weight: number, status: number, headers: Headers): boolean {
    const now = this.#options.clock.now();
    const limits = serverLimits(headers, now);
    this.#server.answered(weight, this.#steady.now(), limits);
    const pause = askedPauseMs(status, limits);
    if (pause !== undefined) this.#asked.pause(now, pause);
    return pause !== undefined || limits.remaining === 0;
  }

  /** Takes note that a request will have no answer. */
  unanswered(weight: number): void {
    this.#server.answered(weight, this.#steady.now());
  }

  /** Ends when the pause that the server asked for last is durable. */
  noted(): Promise<void> {
    return this.#asked.noted();
  }

  usage(): DailyUsage {
    return this.#day.usage(this.#options.clock.now());
  }
}
