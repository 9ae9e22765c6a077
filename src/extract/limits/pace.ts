import { hasCode } from '../../core/firnError.ts';
import { defaultRetryPolicy } from '../../core/requests/retry.ts';
import type { Clock } from '../clock.ts';

/** From a second on a minute in all, the longest stretch by which servers commonly count. After them a refusal is not about how fast requests come. */
const mostHolds = 6;

/** Holds all requests back where a server refuses one as one too many, and does not say for how long. */
export interface Pace {
  /** Milliseconds until the next request may be sent. */
  waitMs(): number;
  /** A request was answered. */
  taken(): void;
  /** A request failed that was sent at this time of the clock. */
  failed(error: unknown, sentAt: number): void;
}

/** @param holdMs the first hold; each one after which the next request is refused again is twice as long, up to `maxWaitMs` */
export function createPace(
  clock: Pick<Clock, 'now'>,
  {
    holdMs = defaultRetryPolicy.holdMs,
    maxWaitMs,
  }: { readonly holdMs?: number | undefined; readonly maxWaitMs: number },
): Pace {
  let holds = 0;
  let since = Number.NEGATIVE_INFINITY;
  let until = since;
  return {
    waitMs: () => Math.max(0, until - clock.now()),
    taken() {
      holds = 0;
    },
    failed(error, sentAt) {
      // What was sent before a hold met the load before it.
      const hold = holdMs * 2 ** holds;
      if (!isUntimed(error) || sentAt <= since || holds === mostHolds || hold > maxWaitMs) return;
      since = clock.now();
      until = since + hold;
      holds += 1;
    },
  };
}

const isUntimed = (error: unknown): boolean =>
  hasCode(error, 'rate_limited') && error.retryable && error.context.retryAfterMs === undefined;
