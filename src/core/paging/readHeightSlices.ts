import { jsonText } from '../columns.ts';
import { FirnError } from '../firnError.ts';
import type { Request, Response } from '../request.ts';
import type { Pages } from '../stream.ts';
import { nextToken } from './loopGuard.ts';
import type { Slice } from './slices.ts';
import { tokenPages } from './tokenPages.ts';

interface Options {
  /** First height wanted. */
  readonly from: number;
  /** First height no longer wanted; null for the newest there is. */
  readonly to: number | null;
  readonly request: (slice: Slice, token: string | undefined) => Request;
  /** The list of an answer itself, not a copy: rows may be moved from one page of a block to another. */
  readonly records: (body: unknown) => readonly unknown[];
  /** Height of a raw record; NaN where it cannot be read. */
  readonly heightOf: (record: unknown) => number;
  /**
   * For rows that are told apart only by their place among others (the internal calls of a transaction): the name of what
   * they belong to. Each raw record of the list then gets a member `position`.
   */
  readonly groupOf?: (record: unknown) => string;
}

/**
 * Reads a list that the source cuts by height but always sorts newest first. What fits one page is read at once; a longer
 * history slice by slice, oldest first, in slices that grow where there is little. The checkpoint moves to the end of each
 * slice, and last to the newest height seen, which the next read asks for again.
 */
export function* readHeightSlices(options: Options): Pages {
  const { from, to, heightOf } = options;
  if (to !== null && from >= to) return;
  const first = yield options.request({ from, to }, undefined);
  const records = options.records(first.body);
  numberPlaces(records, options.groupOf, new Map());
  const newest = highest(records.map(heightOf));
  if (nextToken(first.body) === undefined) {
    if (newest !== undefined) yield { kind: 'advance', position: { next: newest } };
    return;
  }
  // An empty page with a token says nothing of the newest height: the whole list is one slice then.
  if (newest === undefined) {
    const whole = yield* readSlice(options, { from, to });
    if (whole.newest !== undefined) yield { kind: 'advance', position: { next: whole.newest } };
    return;
  }
  let pages = 0;
  for (const slice of growingSlices(from, newest + 1, () => pages)) {
    ({ pages } = yield* readSlice(options, slice));
    yield { kind: 'advance', position: { next: Math.min(slice.to, newest) } };
  }
}

function highest(heights: readonly number[]): number | undefined {
  const readable = heights.filter((height) => !Number.isNaN(height));
  return readable.length > 0 ? Math.max(...readable) : undefined;
}

const firstSlices = 16;
const fewPages = 2;
const manyPages = 20;
const readsOfBlock = 6;

function* growingSlices(from: number, to: number, pagesOfLast: () => number): Generator<{ from: number; to: number }> {
  let width = Math.max(1, Math.ceil((to - from) / firstSlices));
  for (let start = from; start < to; start += width) {
    if (start > from && pagesOfLast() < fewPages) width *= 2;
    if (start > from && pagesOfLast() > manyPages) width = Math.max(1, Math.floor(width / 2));
    yield { from: start, to: Math.min(start + width, to) };
  }
}

/** Reads a slice to its last page, and again each block whose group was cut by the end of a page. */
function* readSlice(
  options: Options,
  slice: Slice,
): Generator<Request, { pages: number; newest: number | undefined }, Response> {
  let pages = 0;
  let newest: number | undefined;
  let places = new Map<string, { page: number; atEdge: boolean }>();
  const cut = new Set<number>();
  const look = ({ body }: Response) => {
    pages++;
    const records = options.records(body);
    newest = highest([newest ?? Number.NaN, ...records.map(options.heightOf)]);
    const { groupOf } = options;
    if (!groupOf || records.length === 0) return;
    numberPlaces(records, groupOf, new Map());
    const edges = new Set([groupOf(records[0]), groupOf(records.at(-1))]);
    for (const record of records) {
      const group = groupOf(record);
      const atEdge = edges.has(group);
      const before = places.get(group);
      // A group that stands wholly inside one page is whole there, however often the source repeats it.
      if (before && before.page !== pages && (before.atEdge || atEdge)) cut.add(options.heightOf(record));
      places.set(group, { page: pages, atEdge: atEdge || (before?.atEdge ?? false) });
    }
  };
  yield* tokenPages((token) => {
    if (token === undefined) places = new Map();
    return options.request(slice, token);
  }, look);
  for (const height of cut) yield* readBlock(options, height);
  return { pages, newest };
}

/**
 * Reads one block alone, for the places of its rows. A block of several pages counts only when two reads agree: pages that
 * overlap would shift the places. Its rows are all given with the last page.
 */
function* readBlock(options: Options, height: number): Generator<Request, void, Response> {
  let previous: string | undefined;
  for (let reads = 1; reads <= readsOfBlock; reads++) {
    let pages = 0;
    let rows: unknown[] = [];
    let last: unknown[] = [];
    yield* tokenPages(
      (token) => {
        if (token === undefined) rows = [];
        return options.request({ from: height, to: height + 1 }, token);
      },
      ({ body }) => {
        pages++;
        last = options.records(body) as unknown[];
        rows.push(...last.splice(0));
      },
    );
    const content = jsonText(rows);
    if (pages === 1 || content === previous) {
      numberPlaces(rows, options.groupOf, new Map());
      last.push(...rows);
      return;
    }
    previous = content;
  }
  throw new FirnError(
    'contract',
    `Block ${height} reads differently each time it is asked for, so its rows cannot be told apart. What was read is kept; run again later.`,
    { retryable: true },
  );
}

/** Gives each record its place within its group, counting on from `counted`. The raw records themselves are changed. */
function numberPlaces(records: readonly unknown[], groupOf: Options['groupOf'], counted: Map<string, number>): void {
  if (!groupOf) return;
  for (const record of records) {
    if (record === null || typeof record !== 'object') continue;
    const group = groupOf(record);
    const position = counted.get(group) ?? 0;
    counted.set(group, position + 1);
    (record as { position?: number }).position = position;
  }
}
