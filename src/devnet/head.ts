import type { Head } from './types.ts';

/** A share of the history (`"70%"`), a moment (RFC 3339 text or a Date), or milliseconds since the epoch. */
export type HeadPosition = string | number | Date;

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

export interface MovableHead extends Head {
  /** Jumps to a position; a running head goes on from there at its speed. */
  moveTo(position: HeadPosition): void;
}

/**
 * The moving end of a history. 100 % is the last moment, 0 % the first block's. With a `speed` above 0 it runs that many times
 * as fast as `clock` (milliseconds) until the last moment. Throws an Error for a position it cannot read.
 */
export function createHead(
  history: { readonly firstMoment: number; readonly lastMoment: number },
  start: HeadPosition,
  speed = 0,
  clock: () => number = Date.now,
): MovableHead {
  let position = headMoment(history, start);
  let since = clock();
  return {
    now() {
      if (speed === 0) return position;
      const run = position + (clock() - since) * speed;
      return Math.max(position, Math.min(run, history.lastMoment));
    },
    moveTo(next) {
      position = headMoment(history, next);
      since = clock();
    },
  };
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
  const text = typeof position === 'string' && ISO.test(position) ? Date.parse(position) : Number.NaN;
  const moment = typeof position === 'number' ? position : position instanceof Date ? position.getTime() : text;
  if (share === undefined && Number.isFinite(moment)) return moment;
  throw new Error(
    `head "${String(position)}" is neither a share such as 70% (at most 100%) nor a moment such as 2026-03-01T00:00:00Z`,
  );
}

/** Reads `3600x` or `3600`: how many times faster than the clock. Throws an Error for anything else. */
export function parseSpeed(text: string): number {
  const speed = Number(/^(\d+(?:\.\d+)?)x?$/.exec(text.trim())?.[1] ?? Number.NaN);
  if (!Number.isFinite(speed)) throw new Error(`speed "${text}" is not a number of times such as 3600x`);
  return speed;
}
