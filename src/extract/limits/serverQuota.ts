import { longestPauseMs, type ServerLimits } from './serverLimits.ts';
import { createSlidingWindow } from './slidingWindow.ts';

/** How much a server still allows, as far as its headers tell. */
export interface ServerQuota {
  sent(weight: number, now: number): void;
  /** An answer to a request of this weight came, or will never come (no `limits` then). */
  answered(weight: number, now: number, limits?: ServerLimits): void;
  /** Milliseconds to wait before sending `weight`; Infinity: until one of the answers under way has come. */
  waitMs(weight: number, now: number): number;
}

/** For longer windows (a day's) only `remaining` counts. */
const longestWindowMs = 3_600_000;
const minuteMs = 60_000;
const shortestProbeMs = 1_000;

/**
 * Remembers the newest headers. Requests whose answers are still under way count as not yet deducted, so that no request is
 * sent that the server would have to refuse.
 */
export function createServerQuota(): ServerQuota {
  let limit: number | undefined;
  let windowMs = minuteMs;
  let isWindowTold = false;
  let windows = createWindows(windowMs);
  let remaining: number | undefined;
  let resetAt: number | undefined;
  let probeAt: number | undefined;
  const underWay = { weight: 0, requests: 0 };
  const unit = createUnitGuess();

  return {
    sent(weight, now) {
      underWay.weight += weight;
      underWay.requests += 1;
      windows.weight.spend(weight, now);
      windows.requests.spend(1, now);
    },

    answered(weight, now, limits) {
      underWay.weight -= weight;
      underWay.requests -= 1;
      if (!limits) return;
      if (limits.limit !== undefined) limit = (limits.windowMs ?? 0) > longestWindowMs ? undefined : limits.limit;
      isWindowTold ||= limits.windowMs !== undefined;
      if (limits.windowMs !== undefined && limits.windowMs !== windowMs && limits.windowMs <= longestWindowMs) {
        windowMs = limits.windowMs;
        windows = createWindows(windowMs);
      }
      if (limits.remaining === undefined) {
        // Told with some answers only, such as refusals: of the window that began since, nothing more is known than the limit.
        if (remaining === undefined) resetAt = undefined;
        return;
      }
      unit.told(weight, limits.remaining);
      remaining = limits.remaining;
      resetAt = limits.resetMs === undefined ? undefined : now + limits.resetMs;
      probeAt = undefined;
    },

    waitMs(weight, now) {
      const counted = unit.current();
      const cost = counted === 'weight' ? weight : 1;
      // Where it tells when a window ends and not how long it is, a minute may be far too long.
      const goesByReset = resetAt !== undefined && !isWindowTold;
      const slide = limit === undefined || goesByReset ? 0 : windows[counted].waitMs(cost, limit, now);
      if (remaining !== undefined && resetAt !== undefined && now >= resetAt) remaining = undefined;
      // A window that has begun since gives the limit, until an answer tells more.
      const left = remaining ?? (goesByReset ? limit : undefined) ?? Number.POSITIVE_INFINITY;
      if (left - underWay[counted] >= cost) return slide;
      if (underWay.requests > 0) return Number.POSITIVE_INFINITY;
      if (remaining === undefined) return slide;
      if (resetAt !== undefined) return Math.max(slide, resetAt - now);
      // The server does not say when there will be room: wait for what its rate gives, then ask with a single request.
      const missing = cost - remaining;
      const gainedMs = limit === undefined ? 0 : (missing / limit) * windowMs;
      probeAt ??= now + Math.min(Math.max(shortestProbeMs, gainedMs), longestPauseMs);
      return Math.max(slide, probeAt - now);
    },
  };
}

const createWindows = (ms: number) => ({ weight: createSlidingWindow(ms), requests: createSlidingWindow(ms) });

/** How many answers are looked at together to find out what a server counts. */
const enoughAnswers = 6;

/**
 * Whether a server counts compute units or requests. Six answers to requests heavier than 1 whose `remaining` are six
 * consecutive numbers, in whatever order they came, mean requests; compute units are assumed otherwise.
 */
function createUnitGuess() {
  let last: number[] = [];
  let countsRequests = false;
  return {
    current: () => (countsRequests ? 'requests' : 'weight') as 'requests' | 'weight',
    told(weight: number, remaining: number) {
      last = weight > 1 ? [...last, remaining].slice(-enoughAnswers) : [];
      const spread = Math.max(...last) - Math.min(...last);
      if (last.length === enoughAnswers && new Set(last).size === enoughAnswers && spread === enoughAnswers - 1)
        countsRequests = true;
    },
  };
}
