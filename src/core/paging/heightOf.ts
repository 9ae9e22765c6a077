import type { Request, Response } from '../request.ts';
import type { Bound } from './findHeight.ts';

/** The newest row of a list at or below a height. */
export interface NewestRow {
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
}

/**
 * Finds the height at which a bound lies in a list that can be cut by height, by bisection over its own rows: about
 * log2(newest height) requests for a date or an age, none for a height.
 *
 * @param newest asks for the newest row at or below a height, of the whole list where that is null; null where there is none
 * @returns the first height whose rows are not older than the bound; null where the list has no rows
 */
export function* heightOf(
  bound: Bound,
  newest: (atOrBelow: number | null) => Generator<Request, NewestRow | null, Response>,
): Generator<Request, number | null, Response> {
  if ('height' in bound) return bound.height;
  const head = yield* newest(null);
  if (head === null) return null;
  const wanted = 'time' in bound ? bound.time : head.time - bound.age;
  let low = 0;
  let high = head.height + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = yield* newest(middle);
    if (row === null || row.time < wanted) low = middle + 1;
    else if (row.height < middle) high = Math.max(low, row.height);
    else high = middle;
  }
  return low;
}
