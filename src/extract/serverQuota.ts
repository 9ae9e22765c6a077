import type { ServerLimits } from './serverLimits.ts';
import { createSlidingWindow } from './slidingWindow.ts';

/** How much a server still allows, as far as its headers tell. */
export interface ServerQuota {
  sent(weight: number, now: number): void;
  /** An answer to a request of this weight came, or will never come (no `limits` then). */
  answered(weight: number, now: number, limits?: ServerLimits): void;
  /** Milliseconds to wait before sending `weight`; Infinity: until one of the answers under way has come. */
  waitMs(weight: number, now: number): number;
}

/** Of longer windows (a day's) only `remaining` is followed. */
const LONGEST_WINDOW_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Answers after which the server's unit of account is known well enough. */
const ENOUGH_ANSWERS = 5;
const SHORTEST_PROBE_MS = 1_000;

/**
 * Remembers the newest headers. Requests whose answers are still under way count as not yet deducted, so that no request is
 * sent that the server would have to refuse. Servers count in compute units or in requests: how fast `remaining` falls tells.
 */
export function createServerQuota(): ServerQuota {
  let limit: number | undefined;
  let windowMs = MINUTE_MS;
  let window = createSlidingWindow(windowMs);
  let remaining: number | undefined;
  let resetAt: number | undefined;
  let probeAt: number | undefined;
  let unanswered = 0;
  const fallen = { answers: 0, weight: 0, amount: 0 };
  const unit = () => (fallen.answers < ENOUGH_ANSWERS || fallen.amount === 0 ? 1 : fallen.amount / fallen.weight);

  return {
    sent(weight, now) {
      unanswered += weight;
      window.spend(weight, now);
    },

    answered(weight, now, limits) {
      unanswered -= weight;
      if (limits?.limit !== undefined) limit = limits.limit;
      if (limits?.windowMs !== undefined && limits.windowMs !== windowMs && limits.windowMs <= LONGEST_WINDOW_MS) {
        windowMs = limits.windowMs;
        window = createSlidingWindow(windowMs);
      }
      if (limits?.remaining === undefined) return;
      if (remaining !== undefined && limits.remaining <= remaining) {
        fallen.answers += 1;
        fallen.weight += weight;
        fallen.amount += remaining - limits.remaining;
      }
      remaining = limits.remaining;
      resetAt = limits.resetMs === undefined ? undefined : now + limits.resetMs;
      probeAt = undefined;
    },

    waitMs(weight, now) {
      const cost = weight * unit();
      const slide = limit === undefined ? 0 : window.waitMs(weight, limit / unit(), now);
      if (remaining !== undefined && resetAt !== undefined && now >= resetAt) remaining = undefined;
      if (remaining === undefined || remaining - unanswered * unit() >= cost) return slide;
      if (unanswered > 0) return Number.POSITIVE_INFINITY;
      if (resetAt !== undefined) return Math.max(slide, resetAt - now);
      // The server does not say when there will be room: wait for what its rate gives, then ask with a single request.
      probeAt ??= now + Math.max(SHORTEST_PROBE_MS, limit === undefined ? 0 : ((cost - remaining) / limit) * windowMs);
      if (now < probeAt) return Math.max(slide, probeAt - now);
      if (slide === 0) remaining = cost;
      return slide;
    },
  };
}
