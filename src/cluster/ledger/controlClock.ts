import { type Clock, systemClock } from '../../extract/clock.ts';
import type { Sql } from './control.ts';

/** How far a machine's clock and that of the control database may be apart, in milliseconds: less may be the way of the question. */
export const clockMs = 5_000;

/** How often it is asked for the time again where the answer took long. */
const timesAtOnce = 3;

/** By how many milliseconds the control database is ahead of this machine: by the quickest answer, where the first one was late. Of that it is not known when it was given. */
export async function aheadOf(control: Sql): Promise<number> {
  let quickest = { took: Number.POSITIVE_INFINITY, ahead: 0 };
  for (let time = 0; time < timesAtOnce && quickest.took > clockMs; time++) {
    const [asked, before] = [performance.now(), Date.now()];
    const [said] = await control.query<{ now: string }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
    );
    const [took, ahead] = [performance.now() - asked, Math.round(Number(said?.now) - (before + Date.now()) / 2)];
    if (took < quickest.took) quickest = { took, ahead };
  }
  return quickest.ahead;
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
