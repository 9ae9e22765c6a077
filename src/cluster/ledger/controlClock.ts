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

/** The clock of this machine, set to that of the control database where the two are apart: the times of rows that several workers bring must follow each other. */
export async function controlClock(control: Sql): Promise<Clock> {
  const ahead = await aheadOf(control);
  return Math.abs(ahead) <= clockMs ? systemClock : { ...systemClock, now: () => Date.now() + ahead };
}
