import { FirnError } from '../../core/firnError.ts';
import type { Clock } from '../clock.ts';

/** Holds requests back from a server that fails, and lets one through now and then to see whether it is back. */
export interface Breaker {
  /**
   * 0: send, and report the outcome · otherwise milliseconds to wait · Infinity: until the request that tries is back.
   *
   * @throws FirnError `unavailable` once the server has been failing for too long
   */
  tryEnter(): number;
  /** The server answered, whatever it said. */
  answered(): void;
  /** No usable answer: no connection, cut, too slow, or a status of 5xx. */
  failed(message: string): void;
  /** The request ended without telling anything about the server (it was aborted). */
  left(): void;
}

export interface BreakerOptions {
  readonly origin: string;
  readonly clock: Clock;
  /** Failures in a row that open it. */
  readonly failures?: number;
  /** First wait when open; doubles with every failed try. */
  readonly coolDownMs?: number;
  readonly longestCoolDownMs?: number;
  /** Open for this long, it refuses at once instead of making requests wait. */
  readonly patienceMs?: number;
}

export function createBreaker(options: BreakerOptions): Breaker {
  const {
    origin,
    clock,
    failures = 10,
    coolDownMs = 2_000,
    longestCoolDownMs = 30_000,
    patienceMs = 120_000,
  } = options;
  let inARow = 0;
  let last = '';
  let open: { readonly since: number; coolDownMs: number; until: number; trying: boolean } | undefined;

  return {
    tryEnter() {
      if (!open) return 0;
      const now = clock.now();
      if (open.trying) return Number.POSITIVE_INFINITY;
      if (now >= open.until) {
        open.trying = true;
        return 0;
      }
      if (now - open.since >= patienceMs) {
        const minutes = Math.round((now - open.since) / 60_000);
        throw new FirnError(
          'unavailable',
          `${origin} has given no usable answer for ${minutes} min (last: ${last}) Check the server, then run again: what was committed stays.`,
          { context: { origin, reason: 'breaker_open' } },
        );
      }
      return open.until - now;
    },

    answered() {
      inARow = 0;
      open = undefined;
    },

    failed(message) {
      last = message;
      const now = clock.now();
      if (open?.trying) {
        const longer = Math.min(longestCoolDownMs, open.coolDownMs * 2);
        open = { since: open.since, coolDownMs: longer, until: now + longer, trying: false };
      } else if (!open) {
        inARow += 1;
        if (inARow >= failures) open = { since: now, coolDownMs, until: now + coolDownMs, trying: false };
      }
    },

    left() {
      if (open) open.trying = false;
    },
  };
}
