import { setTimeout as wait } from 'node:timers/promises';

/** Time as the network code sees it, so that tests can let hours pass at once. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** @throws the signal's reason, or an AbortError, when aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Does something later; gives a function that cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
