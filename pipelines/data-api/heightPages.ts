import {
  type Between,
  heightOf,
  look,
  type Pages,
  type Partition,
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
  },
  pageToken: string | undefined,
): Request {
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
    keep: (record) => {
      const height = numberOf(header(record), 'blockNumber');
      return !(height < start) && !(end !== null && height >= end);
    },
  };
}

const same = (record: unknown) => record;

/** First height to read: where the last read ended, or where the configuration begins; null where there are no rows. */
export function* startOf(
  list: HeightList,
  partition: Partition,
  window: Window,
  sortOrder?: 'desc',
): Generator<Request, number | null, Response> {
  const next = window.position?.['next'];
  if (typeof next === 'number') return next;
  const { header = same, member } = list;
  return yield* heightOf(historySettings(partition).from, function* (atOrBelow) {
    const end = atOrBelow === null ? null : atOrBelow + 1;
    const query = { start: 0, end, pageSize: 1, ...(sortOrder && { sortOrder }) };
    // A look at heights only: its rows come again with their pages.
    const { records } = yield* look(
      (token) => ({ ...heightRequest(list, query, token), keep: () => false }),
      (body) => listOf(body, member),
    );
    const rows = records.map((record) => ({
      height: numberOf(header(record), 'blockNumber'),
      time: numberOf(header(record), 'blockTimestamp'),
    }));
    if (rows.length === 0) return null;
    // One that cannot be read may be the newest: it leaves the start where it is sure to be low enough.
    return rows.reduce((newest, row) => (row.height > newest.height || Number.isNaN(row.height) ? row : newest));
  });
}

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
  const end = to === null ? null : yield* startOf(list, bounded({ from: to }), { ...window, position: null });
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
  const from = yield* startOf(list, partition, window);
  if (from === null) return;
  yield* readHeightSlices({
    from,
    to,
    request: ({ from: start, to: end }, token, fewer) =>
      heightRequest(list, { start, end, pageSize: Math.max(1, pageSize - fewer) }, token),
    records: (body) => listOf(body, list.member),
    heightOf: (record) => numberOf(record, 'blockNumber'),
    ...(itemOf && { itemOf }),
  });
}
