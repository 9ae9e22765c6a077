import type { Looking } from '../requests/page.ts';
import { createDateBracket, type DateBracket, type DatedHeight } from './dateBracket.ts';
import type { Bound } from './findHeight.ts';

type Newest = (atOrBelow: number | null, isSure: boolean) => Looking<DatedHeight | null>;

interface Options {
  /** What is known of the date on the list's chain; what the looks show is noted there. */
  readonly bracket?: DateBracket | undefined;
  /** Seconds by which the height may lie too low for a date: the caller leaves out what is older by its time. */
  readonly within?: number;
}

/**
 * Finds the height at which a bound lies in a list that can be cut by height, by bisection over its own rows: about
 * log2(newest height) requests for a date of which nothing is known yet, or an age, none for a height. A look may show an older row in
 * place of the newest (its page came in the place of another): what would hide rows for good is asked twice, in two ways.
 *
 * @param newest asks for the newest row at or below a height, of the whole list where that is null; null where there is none. Where it must
 *   be sure, it does not rely on a page with a single row
 * @returns the first height whose rows are not older than the bound; null where the list has no rows
 */
export function* heightOf(
  bound: Bound,
  newest: Newest,
  { bracket: known, within }: Options = {},
): Looking<number | null> {
  if ('height' in bound) return bound.height;
  const isKnown = 'time' in bound && known !== undefined && known.from !== null;
  const head = isKnown ? undefined : yield* newest(null, false);
  if (head === null) return null;
  const bracket = 'time' in bound && known ? known : createDateBracket(dateOf(bound, head));
  if (head) bracket.note(head);
  // A row that cannot be read tells nothing: the list is read from its beginning.
  if (head && Number.isNaN(head.height)) return 0;
  if (head && head.time < bracket.date) return head.height + 1;
  // In this list nothing below `none` is wanted, and everything from `all` on.
  let none = 0;
  let all = head?.height ?? Number.POSITIVE_INFINITY;
  // A height found in another list is nearly right for this one: a row just below it tells.
  let isFirst = isKnown;
  let askedAgain: number | undefined;
  for (;;) {
    const { older, from } = bracket;
    const high = Math.min(all, from?.height ?? all);
    const lowest = (older?.height ?? -1) + 1;
    if (lowest >= high) return high;
    if (older && from && from.time - older.time <= (within ?? -1)) return lowest;
    const low = Math.max(none, lowest);
    const isFound = low >= high;
    if (isFound && askedAgain === high) return high;
    if (isFound) askedAgain = high;
    const look = isFirst || isFound ? high - 1 : Math.floor((low + high) / 2);
    isFirst = false;
    const row = yield* newest(look, isFound);
    if (row) bracket.note(row);
    if (row === null || row.time < bracket.date) none = look + 1;
    // A height that cannot be read is none.
    else all = Number.isNaN(row.height) ? look : Math.min(row.height, look);
    // Another look has hidden what this one shows.
    if (none > all) none = 0;
  }
}

const dateOf = (bound: Exclude<Bound, { height: number }>, head: DatedHeight | undefined): number =>
  'time' in bound ? bound.time : (head?.time ?? 0) - bound.age;
