import type { Page } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Position } from '../stream/partition.ts';
import type { Pages } from '../stream/stream.ts';
import { tokenPages } from './tokenPages.ts';

/** [from, to) in the units of the stream's cursor; `to` null is open: up to the newest there is. */
export interface Slice {
  readonly from: number;
  readonly to: number | null;
}

/**
 * Reads slices oldest first, each to its last page. The checkpoint moves when a slice is exhausted: endpoints answer newest
 * first, so that a kill inside a slice leaves its older rows unread.
 *
 * @param slices ascending and adjoining
 * @param cursor column by which rows lie in slices: what lies outside of its slice is left out
 * @param request the request for a slice and page token
 * @param position what to make durable after a slice, of which the newest row is this; undefined where it has none
 */
export function* readSlices<At extends Position>(
  slices: Iterable<Slice>,
  cursor: string,
  request: (slice: Slice, token: string | undefined) => Request,
  position: (slice: Slice, newest: number | undefined) => At,
): Pages<At> {
  for (const slice of slices) {
    let newest: number | undefined;
    let only: Page | null | undefined;
    yield* tokenPages<Page>(
      (token) => request(slice, token),
      (page) => {
        page.within(cursor, slice.from, slice.to);
        newest = page.newestKept(cursor, newest);
        only = only === undefined ? page : null;
      },
    );
    only?.holdsFrom(cursor, slice.from);
    yield { kind: 'advance', position: position(slice, newest) };
  }
}

/**
 * Cuts [from, to) into slices of `width`, the last one shorter, or as open as the list itself; an open end makes one last open
 * slice.
 */
export function* cutSlices(from: number, to: number | null, width: number, lastIsOpen = false): Generator<Slice> {
  if (to === null) {
    yield { from, to: null };
    return;
  }
  for (let start = from; start < to; start += width) {
    const end = Math.min(start + width, to);
    yield { from: start, to: end === to && lastIsOpen ? null : end };
  }
}
