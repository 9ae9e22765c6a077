import { z } from 'zod';
import { parseBound } from '../heights/findHeight.ts';
import type { Position } from './partition.ts';

/**
 * How a stream reads again, at every sync, what lies right below its checkpoint: a service may list rows later than it dates them. What is there
 * already stays as it is, by its key.
 */
export interface LooksBack<At extends Position = Position> {
  /** Column of the cursors in a position: heights, or times as Unix seconds. */
  readonly cursor: string;
  /** The position with each of its cursors moved; without those for which null is given, so that they are read from the beginning. */
  moved(position: At, to: (cursor: number) => number | null): At;
  /** What to make durable where a read that looked back has reached a position: no cursor of it lies below the checkpoint's. */
  notBelow(reached: At, checkpoint: At): At;
}

/** For positions with one cursor, which some of them lack. */
export function looksBackBy<At extends Position>(cursor: string, member: keyof At & string): LooksBack<At> {
  return {
    cursor,
    moved(position, to) {
      const { [member]: at, ...rest } = position;
      const begin = at === undefined ? null : to(at as number);
      return { ...rest, ...(begin !== null && { [member]: begin }) } as At;
    },
    notBelow(reached, checkpoint) {
      const cursors = [reached[member], checkpoint[member]].filter((at) => at !== undefined) as number[];
      return cursors.length === 0 ? reached : { ...reached, [member]: Math.max(...cursors) };
    },
  };
}

/** The parameter of streams that can look back. */
export const lookback = z
  .string()
  .regex(/^\d+[smhdw]$/, 'is a duration such as 1h or 2d: a number with s, m, h, d or w')
  .optional()
  .describe(
    'How far below its checkpoint each sync reads again, such as 1h: for services that list rows later than they date them. It counts from the ' +
      'newest row held. Nothing if omitted.',
  );

/** Seconds of a `lookback`. */
export const lookbackSeconds = (text: string): number => (parseBound(`-${text}`) as { readonly age: number }).age;
