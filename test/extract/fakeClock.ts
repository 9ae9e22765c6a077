import { type Clock, systemClock } from '../../src/extract/clock.ts';
import { interruption } from '../../src/extract/interruption.ts';

/** A clock that jumps to the end of the shortest sleep when the program has nothing else to do. `slept` keeps the lengths. */
export interface FakeClock extends Clock {
  readonly slept: number[];
  advance(ms: number): void;
}

/** Rounds of the event loop without a new sleep after which the program counts as idle. */
const IDLE_ROUNDS = 10;

export function fakeClock(start = Date.UTC(2026, 0, 20, 12)): FakeClock {
  let now = start;
  let idle = 0;
  let pumping = false;
  const slept: number[] = [];
  const sleepers: { readonly end: number; wake(): void }[] = [];

  const pump = () => {
    idle += 1;
    if (idle > IDLE_ROUNDS) {
      idle = 0;
      sleepers.sort((a, b) => a.end - b.end);
      const next = sleepers.shift();
      if (next) {
        now = Math.max(now, next.end);
        next.wake();
      }
    }
    pumping = sleepers.length > 0;
    if (pumping) setImmediate(pump);
  };

  return {
    slept,
    now: () => now,
    // Real servers take real time.
    after: systemClock.after,
    advance(ms) {
      now += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(interruption(signal));
        slept.push(ms);
        idle = 0;
        const giveUp = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1);
          if (signal) reject(interruption(signal));
        };
        const wake = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const sleeper = { end: now + ms, wake };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', giveUp, { once: true });
        if (!pumping) setImmediate(pump);
        pumping = true;
      }),
  };
}
