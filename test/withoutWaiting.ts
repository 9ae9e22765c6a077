import { setImmediate } from 'node:timers/promises';
import { beforeEach, vi } from 'vitest';
import { systemClock } from '../src/extract/clock.ts';

/**
 * In the tests of the file network code of this process never waits: the clock says at once that its time is over.
 *
 * @returns sets the clock right again. DuckDB has a clock of its own: a run that waited would seem to have ended after one that follows it
 */
export function withoutWaiting(): () => void {
  let ahead = 0;
  beforeEach(() => {
    ahead = 0;
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
  return () => {
    ahead = 0;
  };
}
