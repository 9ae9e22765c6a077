import { FirnError } from '../firnError.ts';
import type { Request, Response } from '../request.ts';

/**
 * A bound as the configuration writes it: a height, a date or RFC 3339 time (UTC where it names no zone), or an age
 * such as `-30d`, `-24h` that counts from the newest block.
 */
export type Bound = { readonly height: number } | { readonly time: number } | { readonly age: number };

/**
 * Reads a bound.
 *
 * @returns height, Unix seconds, or seconds of age
 * @throws FirnError `config`
 */
export function parseBound(value: string | number): Bound {
  const text = String(value).trim();
  if (/^\d+$/.test(text)) return { height: Number(text) };
  const age = /^-(\d+)([smhdw])$/.exec(text);
  if (age) {
    const unit = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 }[age[2] as 's'];
    return { age: Number(age[1]) * unit };
  }
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const millis = Date.parse(/[Zz]|[+-]\d\d:?\d\d$/.test(text.slice(10)) || text.length === 10 ? text : `${text}Z`);
    if (!Number.isNaN(millis)) return { time: Math.floor(millis / 1000) };
  }
  throw new FirnError('config', `"${text}" is neither a height, a date such as 2026-01-20, nor an age such as -30d.`);
}

/**
 * Finds the first height whose block is not older than a bound, by bisection: about log2(head) requests.
 *
 * @param head the highest height there is
 * @param timeOf asks for the time of a height, Unix seconds
 * @param lowest where to begin; asked first where it is not 0, since it is often the answer
 * @returns the height; `head + 1` when every block is older
 */
export function* findHeight(
  bound: Bound,
  head: number,
  timeOf: (height: number) => Generator<Request, number, Response>,
  lowest = 0,
): Generator<Request, number, Response> {
  if ('height' in bound) return bound.height;
  const wanted = 'time' in bound ? bound.time : (yield* timeOf(head)) - bound.age;
  if (lowest > 0 && lowest <= head && (yield* timeOf(lowest)) >= wanted) return lowest;
  let low = lowest;
  let high = head + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((yield* timeOf(middle)) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
