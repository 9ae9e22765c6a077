import { createHash } from 'node:crypto';
import PQueue from 'p-queue';
import { throwIfAborted } from '../../extract/interruption.ts';
import { dailyQuotaSpent, waitTooLong } from '../../extract/limitErrors.ts';
import { createLimiter, type Limiter, type LimiterOptions, type OnAnswer } from '../../extract/limiter.ts';
import { askedPauseMs, serverLimits } from '../../extract/serverLimits.ts';
import type { Control } from '../ledger/openControl.ts';

/** The longest sleep before asking again, however long a wait was announced: a request whose answer never came may have made room by then. */
const longestSleepMs = 5_000;

/**
 * A limiter that shares its origin's quota with all workers: before a request goes out the control database admits it, and is told what the
 * server answered. How many requests this process has under way, and its breaker, stay its own matter.
 *
 * @param key what the server counts by, beside the origin: kept as a hash only
 */
export function sharedLimiter(
  control: Pick<Control, 'query'>,
  options: LimiterOptions,
  key: string | undefined,
): Limiter {
  const { origin, clock, breaker, quota = {}, maxWaitMs } = options;
  const name = `${origin} ${createHash('sha256')
    .update(key ?? '')
    .digest('hex')
    .slice(0, 12)}`;
  const { quota: _, usedToday: __, ...own } = options;
  const local = createLimiter(own);
  /** One asks at a time, or all of them would keep asking while there is no room. */
  const entrance = new PQueue({ concurrency: 1 });
  let waitedMs = 0;

  const admit = async (weight: number, signal: AbortSignal | undefined): Promise<string> => {
    for (;;) {
      throwIfAborted(signal);
      const [said] = await control.query<{ request_id: string | null; wait_ms: string | null; used: string }>(
        'SELECT * FROM firn.admit($1, $2, $3, $4)',
        [name, weight, quota.perMinute ?? null, quota.perDay ?? null],
      );
      if (said?.request_id) return said.request_id;
      const wait = Number(said?.wait_ms);
      if (wait < 0) throw dailyQuotaSpent(origin, quota.perDay ?? 0, Number(said?.used), weight);
      if (wait > maxWaitMs) throw waitTooLong(origin, clock.now() + wait, wait, maxWaitMs);
      const from = clock.now();
      await clock.sleep(Math.min(wait, longestSleepMs), signal);
      waitedMs += clock.now() - from;
    }
  };
  const answered = (id: string, status?: number, headers: Parameters<OnAnswer>[1] = {}) => {
    const limits = serverLimits(headers, clock.now());
    const pause = status === undefined ? undefined : askedPauseMs(status, limits);
    const said = [limits.limit, limits.windowMs, limits.remaining, limits.resetMs, pause];
    return control.query('SELECT firn.answered($1, $2, $3, $4, $5, $6)', [
      id,
      ...said.map((value) => (value === undefined ? null : Math.ceil(value))),
    ]);
  };

  return {
    ...local,
    run: (weight, task, how = {}) =>
      local.run(
        weight,
        async (heard) => {
          const id = await entrance
            .add(() => admit(weight, how.signal))
            .catch((error: unknown) => {
              // It may be the one that was to try whether the server is back.
              breaker.left();
              throw error;
            });
          let told: Promise<unknown> | undefined;
          try {
            return await task((status, headers) => {
              heard(status, headers);
              told = answered(id, status, headers);
              // If it cannot be told now, the next answer tells it; a request sent meanwhile meets the same outage.
              told.catch(() => {});
            });
          } finally {
            await (told ?? answered(id)).catch(() => {});
          }
        },
        how,
      ),
    stats: () => ({ ...local.stats(), waitedMs: local.stats().waitedMs + waitedMs }),
  };
}
