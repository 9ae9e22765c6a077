import {
  type Advance,
  type Between,
  type Bound,
  type DatedHeight,
  heightOf,
  look,
  type Pages,
  type Partition,
  type Position,
  type Request,
  type Response,
  readHeightSlices,
  type Window,
} from '../../src/index.ts';
import { type HistorySettings, historySettings } from './evmAddress.ts';
import { listOf, numberOf } from './listOf.ts';
import { weights } from './source.ts';

/** A list that is cut by `startBlock` and `endBlock`. */
export interface HeightList {
  readonly path: string;
  /** Member of the answer that holds the rows. */
  readonly member: string;
  /** Height and time of a raw record, where they do not stand at its top. */
  readonly header?: (record: unknown) => unknown;
}

/** A page of blocks [start, end): `startBlock` is inclusive, `endBlock` exclusive. */
export function heightRequest(
  { path, header = same }: HeightList,
  query: {
    readonly start: number;
    readonly end: number | null;
    readonly sortOrder?: 'asc' | 'desc';
    readonly pageSize: number;
    /** Unix seconds before which rows are left out. */
    readonly since?: number | undefined;
  },
  pageToken: string | undefined,
): Extract<Request, { kind: 'get' }> {
  const { start, end, sortOrder, pageSize, since } = query;
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
    keep: (record) => {
      const height = numberOf(header(record), 'blockNumber');
      if (since !== undefined && numberOf(header(record), 'blockTimestamp') < since) return false;
      return !(height < start) && !(end !== null && height >= end);
    },
  };
}

const same = (record: unknown) => record;

/** Where a read begins. */
interface Start {
  readonly from: number;
  /** Unix seconds: rows from `from` on that are older are not wanted. */
  readonly since?: number | undefined;
}

/** Seconds of rows that may be asked for in vain, so that a date needs no exact height. */
const near = 3600;

/**
 * Where the last read ended, or where the configuration begins; null where there are no rows. A date becomes a height once a chain: what one list
 * finds spares the others their looks.
 */
export function* startOf(
  list: HeightList,
  partition: Partition,
  window: Window,
  sortOrder?: 'desc',
): Generator<Request | Advance, Start | null, Response> {
  const { next, since } = (window.position ?? {}) as { next?: number; since?: number };
  if (next !== undefined) return { from: next, since };
  const bound = historySettings(partition).from;
  const from = yield* heightIn(list, bound, { window, sortOrder, within: near });
  if (from === null || !('time' in bound)) return from === null ? null : { from };
  const begin = { next: from, since: bound.time };
  // Where nothing has come since the date, the next run need not look again.
  yield { kind: 'advance', position: begin };
  return { from, since: begin.since };
}

/** Height at which a bound lies in a list; null where it has no rows. */
function* heightIn(
  list: HeightList,
  bound: Bound,
  { window, sortOrder, within }: { window: Window; sortOrder?: 'desc' | undefined; within?: number },
): Generator<Request, number | null, Response> {
  const { header = same, member } = list;
  const newest = function* (atOrBelow: number | null): Generator<Request, DatedHeight | null, Response> {
    const end = atOrBelow === null ? null : atOrBelow + 1;
    const query = { start: 0, end, pageSize: 1, ...(sortOrder && { sortOrder }) };
    // A look at heights only: its rows come again with their pages.
    const { records } = yield* look(
      (token) => ({ ...heightRequest(list, query, token), keep: () => false, look: true }),
      (body) => listOf(body, member),
    );
    const rows = records.map((record) => ({
      height: numberOf(header(record), 'blockNumber'),
      time: numberOf(header(record), 'blockTimestamp'),
    }));
    if (rows.length === 0) return null;
    // One that cannot be read may be the newest: it leaves the start where it is sure to be low enough.
    return rows.reduce((newest, row) => (row.height > newest.height || Number.isNaN(row.height) ? row : newest));
  };
  const bracket = 'time' in bound ? window.brackets?.(bound.time) : undefined;
  return yield* heightOf(bound, newest, { bracket, ...(within !== undefined && { within }) });
}

/** The checkpoint below which everything was read; what a read that began at a date leaves out stays beside it. */
export const positionAfter =
  (since: number | undefined) =>
  (next: number): Position => ({ next, ...(since !== undefined && { since }) });

/** Pages with the rows between two bounds, read as the stream reads its rows. */
export function* heightsBetween(
  list: HeightList,
  partition: Partition,
  { from, to }: Between,
  window: Window,
  pages: (partition: Partition, window: Window) => Pages,
): Pages {
  const settings = historySettings(partition);
  const bounded = (changes: Partial<HistorySettings>): Partition => ({
    ...partition,
    settings: { ...settings, ...changes },
  });
  const end = to === null ? null : yield* heightIn(list, to, { window });
  const highest = end !== null && settings.to !== null ? Math.min(end, settings.to) : (end ?? settings.to);
  yield* pages(bounded({ from, to: highest }), window);
}

/**
 * Pages of a list without `sortOrder`: newest first, read slice by slice.
 *
 * @param itemOf for rows without a key: what of them is in the key, as text
 */
export function* heightPages(
  list: HeightList,
  partition: Partition,
  window: Window,
  itemOf?: (record: unknown) => string,
): Pages {
  const { to, pageSize } = historySettings(partition);
  const begin = yield* startOf(list, partition, window);
  if (begin === null) return;
  const { from, since } = begin;
  yield* readHeightSlices({
    from,
    to,
    request: ({ from: start, to: end }, token, fewer) =>
      heightRequest(list, { start, end, pageSize: Math.max(1, pageSize - fewer), since }, token),
    records: (body) => listOf(body, list.member),
    heightOf: (record) => numberOf(record, 'blockNumber'),
    position: positionAfter(since),
    ...(itemOf && { itemOf }),
  });
}
