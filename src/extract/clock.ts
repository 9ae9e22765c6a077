import { setTimeout as wait } from 'node:timers/promises';
import { throwIfAborted } from './interruption.ts';

/** Time as the network code sees it, so that tests can let hours pass at once. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** @throws FirnError `interrupted` */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Does something later; gives a function that cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** The longest that a timer waits, 24 days: asked for more, Node waits not at all. */
const longestMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    await wait(Math.min(ms, longestMs), undefined, signal && { signal }).catch(() => throwIfAborted(signal));
  },
  after(ms, action) {
    const timer = setTimeout(action, Math.min(ms, longestMs));
    return () => clearTimeout(timer);
  },
};

/** A clock for waits alone: where the other is set back, it goes on from where it was, and no wait that began before grows. */
export function steadyClock(clock: Clock): Clock {
  let last = 0;
  let ahead = 0;
  return {
    ...clock,
    now() {
      const now = clock.now();
      ahead = Math.max(ahead, last - now);
      last = now + ahead;
      return last;
    },
  };
}
