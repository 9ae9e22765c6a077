import { parseBound } from './findHeight.ts';

/**
 * A bound that means the same on any day: of an age the moment that it means now. It counts from the newest block, which is taken for one of
 * this moment.
 *
 * @param now milliseconds since 1970
 */
export function fixedBound(bound: string, now: number): string {
  const said = parseBound(bound);
  if (!('age' in said)) return bound;
  return momentOf(now - said.age * 1000);
}

/** A moment as a bound. @param ms milliseconds since 1970 */
export const momentOf = (ms: number): string => new Date(Math.max(0, ms)).toISOString().replace(/\.\d+Z$/, 'Z');
