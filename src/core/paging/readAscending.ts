import type { Page, Reading } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Position } from '../stream/partition.ts';
import type { Advance } from '../stream/stream.ts';
import { endsBelow } from './endsBelow.ts';
import { restartsAllowed, walkPages } from './walkPages.ts';

interface Options<At extends Position> {
  /** Lowest cursor wanted, inclusive. */
  readonly from: number;
  /** Whether a row was read at `from` or above: a list without any is behind. */
  readonly holds?: boolean;
  /** First cursor no longer wanted. */
  readonly to?: number | null;
  readonly request: (from: number, token: string | undefined) => Request;
  /** Column that ascends from page to page. */
  readonly cursor: string;
  /** Leaves out of a page what is not wanted for another reason than its cursor. */
  readonly leaveOut?: (page: Page) => void;
  /** What to make durable when everything below the cursor has been read. */
  readonly position: (cursor: number) => At;
}

/**
 * Reads a list that the source sorts oldest first, and moves the checkpoint while it reads. It stays one page behind, moves only with
 * pages that bring something newer, and stops moving once one came out of order, so that a kill never leaves unread rows below it; rows
 * that come from below it nevertheless take it back. A refused token restarts the read at the checkpoint, as often as that has moved.
 *
 * @returns the newest cursor seen, `from` where there was none
 * @throws FirnError `unavailable` where the list ends below what was read of it before
 */
export function* readAscending<At extends Position>(
  options: Options<At>,
): Generator<Request | Reading | Advance<At>, number, Page> {
  const { cursor, to, leaveOut, position } = options;
  let safe = options.from;
  let isListed = !options.holds;
  for (let restarts = 0; ; restarts++) {
    const from = safe;
    let newest = from;
    let ordered = true;
    const end = yield* walkPages({
      request: (token) => options.request(from, token),
      goesOn: () => true,
      take(page) {
        const cursors = page.numbers(cursor);
        page.within(cursor, from, to);
        isListed ||= page.kept > 0;
        leaveOut?.(page);
        // The list may begin a little lower than what is wanted.
        if (newest > from && cursors.some((value) => value < newest)) ordered = false;
        const isBelow = cursors.some((value) => value >= from && value < safe);
        const before = newest;
        // Rows that a source gives beyond the end, unasked, are left out: they do not count as read.
        newest = page.newest(cursor, newest, to) ?? newest;
        const moves = ordered && newest > before && before > safe;
        if (!isBelow && !moves) return undefined;
        safe = isBelow ? from : before;
        return position(safe);
      },
    });
    if (!end) {
      if (!isListed) throw endsBelow(options.request(from, undefined), cursor, from);
      if (newest > options.from) yield { kind: 'advance', position: position(newest) };
      return newest;
    }
    if (safe > from) restarts = 0;
    else if (restarts === restartsAllowed) throw end.refused;
  }
}
