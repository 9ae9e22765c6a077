import type { Head } from './types.ts';

/** A share of the history (`"70%"`), a moment (RFC 3339 text or a Date), or milliseconds since the epoch. */
export type HeadPosition = string | number | Date;

const iso = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

export interface MovableHead extends Head {
  /** Jumps to a position; a running head continues from there at its speed. */
  moveTo(position: HeadPosition): void;
  /** Takes one step, up to the last moment. */
  step(): void;
}

/**
 * The moving end of a history. 100 % is the last moment, 0 % the first block's. With a `speed` above 0 it runs that many times
 * as fast as `clock` (milliseconds) until the last moment. `stepLength` is in milliseconds of history. Throws an Error for a position it
 * cannot read.
 */
export function createHead(
  history: { readonly firstMoment: number; readonly lastMoment: number },
  start: HeadPosition,
  speed = 0,
  clock: () => number = Date.now,
  stepLength = 0,
): MovableHead {
  let position = headMoment(history, start);
  let since = clock();
  const now = () => upTo(position + (clock() - since) * speed);
  const upTo = (moment: number) => Math.max(position, Math.min(moment, history.lastMoment));
  return {
    now,
    moveTo(next) {
      position = headMoment(history, next);
      since = clock();
    },
    step() {
      position = upTo(now() + stepLength);
      since = clock();
    },
  };
}

/** Milliseconds in a share of the history such as `0.01%`. Throws an Error for anything else. */
export function stepLength(
  { firstMoment, lastMoment }: { readonly firstMoment: number; readonly lastMoment: number },
  text: string,
): number {
  const share = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1] ?? Number.NaN);
  if (!(share <= 100)) throw new Error(`step "${text}" is not a share of the history such as 0.01%`);
  return ((lastMoment - firstMoment) * share) / 100;
}

/** The moment in milliseconds that a position means in a history. */
export function headMoment(
  history: { readonly firstMoment: number; readonly lastMoment: number },
  position: HeadPosition,
): number {
  const share = typeof position === 'string' ? /^(\d+(?:\.\d+)?)\s*%$/.exec(position.trim())?.[1] : undefined;
  if (share !== undefined && Number(share) <= 100) {
    return history.firstMoment + ((history.lastMoment - history.firstMoment) * Number(share)) / 100;
  }
  // Date.parse alone would take almost any text, and read a time without a zone as local.
  const text = typeof position === 'string' && iso.test(position) ? Date.parse(position) : Number.NaN;
  const moment = typeof position === 'number' ? position : position instanceof Date ? position.getTime() : text;
  if (share === undefined && Number.isFinite(moment)) return moment;
  throw new Error(
    `head "${String(position)}" is neither a share such as 70% (at most 100%) nor a moment such as 2026-03-01T00:00:00Z`,
  );
}

/** Reads `3600x` or `3600`: how many times faster than the clock. Throws an Error for anything else, and for 0: a head that runs moves. */
export function parseSpeed(text: string): number {
  const speed = Number(/^(\d+(?:\.\d+)?)x?$/.exec(text.trim())?.[1] ?? Number.NaN);
  if (Number.isFinite(speed) && speed > 0) return speed;
  const still = speed === 0 ? '; without a speed the head stands still' : '';
  throw new Error(`speed "${text}" is not a number of times such as 3600x${still}`);
}
