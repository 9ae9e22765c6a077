import { type Clock, systemClock } from '../../extract/clock.ts';
import type { Sql } from './openControl.ts';

/** How far a machine's clock and that of the control database may be apart, in milliseconds: less may be the way of the question. */
export const clockMs = 5_000;

/** By how many milliseconds the control database is ahead of this machine. */
export async function aheadOf(control: Sql): Promise<number> {
  const before = Date.now();
  const [said] = await control.query<{ now: string }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  );
  return Math.round(Number(said?.now) - (before + Date.now()) / 2);
}

/** How often it is looked how far they are apart, in milliseconds. */
const lookMs = 60_000;

/**
 * The clock of this machine, set to that of the control database where the two are apart: the times of rows that several workers bring must follow
 * each other. Clocks are set and machines sleep while a worker runs, so it is looked again.
 */
export async function controlClock(control: Sql, everyMs = lookMs): Promise<Clock> {
  let ahead = await aheadOf(control);
  let looked = performance.now();
  const look = async () => {
    const asked = performance.now();
    const found = await aheadOf(control).catch(() => ahead);
    // Of an answer that took its time it is not known when it was given.
    if (performance.now() - asked < clockMs && Math.abs(found - ahead) > clockMs) ahead = found;
  };
  return {
    ...systemClock,
    now() {
      if (performance.now() - looked >= everyMs) {
        looked = performance.now();
        void look();
      }
      return Date.now() + (Math.abs(ahead) > clockMs ? ahead : 0);
    },
  };
}
