import { FirnError } from '../firnError.ts';
import { isDay } from '../input/isDay.ts';
import type { Asking } from '../requests/page.ts';
import type { DateBrackets } from './dateBracket.ts';

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
  if (isDay(text.slice(0, 10))) {
    const millis = Date.parse(/[Zz]|[+-]\d\d:?\d\d$/.test(text.slice(10)) || text.length === 10 ? text : `${text}Z`);
    if (!Number.isNaN(millis)) return { time: Math.floor(millis / 1000) };
  }
  throw new FirnError('config', `"${text}" is neither a height, a date such as 2026-01-20, nor an age such as -30d.`);
}

/**
 * Finds the first height whose block is not older than a bound, by bisection: about log2(head) requests. A block that the source does not
 * have counts as older: a node that began with a later state lacks all before it.
 *
 * @param head the highest height there is
 * @param timeOf asks for the time of a height, Unix seconds
 * @param lowest where to begin; asked first where it is not 0, since it is often the answer
 * @param brackets what is known of dates on the chain: only heights between are asked about
 * @returns the height; `head + 1` when every block is older
 * @throws FirnError that of `timeOf`; where the block right before the height is lacking, since what lies below is then not known
 */
export function* findHeight(
  bound: Bound,
  head: number,
  timeOf: (height: number) => Asking<number>,
  { lowest = 0, brackets }: { readonly lowest?: number; readonly brackets?: DateBrackets | undefined } = {},
): Asking<number> {
  if ('height' in bound) return bound.height;
  const wanted = 'time' in bound ? bound.time : (yield* timeOf(head)) - bound.age;
  const bracket = 'time' in bound ? brackets?.(wanted) : undefined;
  let lacking: FirnError | undefined;
  const isOlder = function* (height: number) {
    try {
      const time = yield* timeOf(height);
      bracket?.note({ height, time });
      return time < wanted;
    } catch (error) {
      if (!(error instanceof FirnError) || error.context.lacks !== height) throw error;
      lacking = error;
      return true;
    }
  };
  let low = Math.max(lowest, (bracket?.older?.height ?? -1) + 1);
  let high = Math.min(head + 1, bracket?.from?.height ?? head + 1);
  if (lowest > 0 && low === lowest && low < high && !(yield* isOlder(lowest))) return lowest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (yield* isOlder(middle)) low = middle + 1;
    else high = middle;
  }
  if (lacking?.context.lacks === low - 1) throw lacking;
  return low;
}
