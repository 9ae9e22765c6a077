import {
  type Advance,
  type Between,
  type Bound,
  type DatedHeight,
  heightOf,
  type Looking,
  look,
  looksBackBy,
  type Page,
  type Pages,
  type Reading,
  type Request,
  readHeightSlices,
  type Window,
} from '../../src/index.ts';
import { type HistoryPartition, type HistorySettings, largestPage } from './evmAddress.ts';
import { weights } from './source.ts';

/** A list that is cut by `startBlock` and `endBlock`. */
export interface HeightList {
  readonly path: string;
  /** Asks for the newest first, where the list does not give it first by itself. */
  readonly newestFirst?: { readonly sortOrder: 'desc' };
}

/** A page of blocks [start, end): `startBlock` is inclusive, `endBlock` exclusive. */
export function heightRequest(
  { path }: HeightList,
  query: {
    readonly start: number;
    readonly end: number | null;
    readonly sortOrder?: 'asc' | 'desc';
    readonly pageSize: number;
  },
  pageToken: string | undefined,
): Extract<Request, { kind: 'get' }> {
  const { start, end, sortOrder, pageSize } = query;
  return {
    kind: 'get',
    path,
    query: {
      startBlock: start > 0 ? start : undefined,
      endBlock: end ?? undefined,
      sortOrder,
      pageSize,
      pageToken,
    },
    weight: weights.medium,
  };
}

/**
 * Everything below `next` has been read; nothing older than `since` (Unix seconds) is wanted. A read that looks back may begin without `next`.
 * With `since`, only `seen` says that there was a row at `next` or above: a date alone gives a height, too. `width` is of the slice of heights to read
 * next, where a read ended between slices.
 */
export type HeightPosition = {
  readonly next?: number;
  readonly since?: number;
  readonly seen?: true;
  readonly width?: number;
};

/** How their streams look back, and go on after a backfill. */
export const onwards = {
  looksBack: looksBackBy<HeightPosition>('block_number', 'next'),
  // Before a date that was still to come, rows are left out that nothing else would read: a backfill has come only to those there were.
  backfilled: (position: HeightPosition | null, done: HeightPosition): HeightPosition =>
    position?.since === undefined
      ? (position ?? done)
      : { ...position, since: Math.min(position.since, done.since ?? 0) },
};

/** Where a read begins. */
interface Start {
  readonly from: number;
  /** Unix seconds: rows from `from` on that are older are not wanted. */
  readonly since?: number | undefined;
  /** Whether a row was read at `from` or above. */
  readonly holds?: boolean;
  readonly width?: number | undefined;
}

/** This many seconds of rows may be asked for in vain, so that a date needs no exact height. */
const near = 3600;

/**
 * Where the last read ended, or where the configuration begins; null where there are no rows. A date becomes a height once per chain: what one list
 * finds spares the others their looks.
 */
export function* startOf(
  list: HeightList,
  partition: HistoryPartition,
  window: Window<HeightPosition>,
): Generator<Request | Reading | Advance<HeightPosition>, Start | null, Page> {
  const { next, since, seen, width } = window.position ?? {};
  if (next !== undefined) return { from: next, since, holds: since === undefined || seen === true, width };
  const bound = partition.settings.from;
  const from = yield* heightIn(list, bound, window, near);
  if (from === null || !('time' in bound)) return from === null ? null : { from };
  const begin = { next: from, since: bound.time };
  // Where nothing has come since the date, the next run need not look it up again.
  yield { kind: 'advance', position: begin };
  return { from, since: begin.since };
}

/** Height at which a bound lies in a list; null where it has no rows. */
function* heightIn(
  list: HeightList,
  bound: Bound,
  window: Window<HeightPosition>,
  within?: number,
): Looking<number | null> {
  const newest = function* (atOrBelow: number | null, isSure: boolean): Looking<DatedHeight | null> {
    const end = atOrBelow === null ? null : atOrBelow + 1;
    const query = { start: 0, end, pageSize: isSure ? largestPage : 1, ...list.newestFirst };
    // This only looks at heights: the rows come again with their pages.
    const { page } = yield* look((token) => ({ ...heightRequest(list, query, token), look: true }));
    const times = page.numbers('block_timestamp');
    const known = page.newest('block_number') ?? Number.POSITIVE_INFINITY;
    const rows = Array.from(page.numbers('block_number'), (height, i) => ({
      height: height > known ? Number.NaN : height,
      time: times[i] as number,
    }));
    page.drop();
    if (rows.length === 0) return null;
    // A row that cannot be read may be the newest: the start then stays low enough.
    return rows.reduce((newest, row) => (row.height > newest.height || Number.isNaN(row.height) ? row : newest));
  };
  const bracket = 'time' in bound ? window.brackets?.(bound.time) : undefined;
  return yield* heightOf(bound, newest, { bracket, ...(within !== undefined && { within }) });
}

/** The checkpoint below which everything was read, with the date before which a read left rows out. */
export const positionAfter =
  (since: number | undefined) =>
  (next: number, width?: number): HeightPosition => ({
    next,
    ...(since !== undefined && { since, seen: true }),
    ...(width !== undefined && { width }),
  });

/** Pages with the rows between two bounds, read as the stream reads its rows. */
export function* heightsBetween(
  list: HeightList,
  partition: HistoryPartition,
  { from, to }: Between,
  window: Window<HeightPosition>,
  pages: (partition: HistoryPartition, window: Window<HeightPosition>) => Pages<HeightPosition>,
): Pages<HeightPosition> {
  const settings = partition.settings;
  const bounded = (changes: Partial<HistorySettings>): HistoryPartition => ({
    ...partition,
    settings: { ...settings, ...changes },
  });
  const end = to === null ? null : yield* heightIn(list, to, window);
  const highest = end !== null && settings.to !== null ? Math.min(end, settings.to) : (end ?? settings.to);
  yield* pages(bounded({ from, to: highest }), window);
}

/**
 * Pages of a list without `sortOrder`: newest first, read slice by slice.
 *
 * @param items for rows without a key: the columns that are in the key
 */
export function* heightPages(
  list: HeightList,
  partition: HistoryPartition,
  window: Window<HeightPosition>,
  items?: readonly string[],
): Pages<HeightPosition> {
  const { to, pageSize } = partition.settings;
  const begin = yield* startOf(list, partition, window);
  if (begin === null) return;
  const { since, ...rest } = begin;
  yield* readHeightSlices({
    ...rest,
    to,
    pageSize,
    largestPage,
    request: ({ from: start, to: end }, token, size) => heightRequest(list, { start, end, pageSize: size }, token),
    height: 'block_number',
    items,
    leaveOut: (page) => page.within('block_timestamp', since),
    position: positionAfter(since),
  });
}
