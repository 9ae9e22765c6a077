import { setImmediate } from 'node:timers/promises';
import { beforeEach, vi } from 'vitest';
import { systemClock } from '../src/extract/clock.ts';

/** In the tests of the file network code of this process never waits: the clock says at once that its time is over. */
export function withoutWaiting(): void {
  beforeEach(() => {
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const clock = vi.spyOn(systemClock, 'now').mockImplementation(now);
    const sleep = vi.spyOn(systemClock, 'sleep').mockImplementation(async (ms, signal) => {
      const end = now() + ms;
      await setImmediate(undefined, signal && { signal });
      ahead = Math.max(ahead, Math.ceil(end) - Date.now());
    });
    return () => {
      clock.mockRestore();
      sleep.mockRestore();
    };
  });
}
