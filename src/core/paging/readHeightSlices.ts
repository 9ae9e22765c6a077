import { jsonText } from '../columns.ts';
import { FirnError } from '../firnError.ts';
import type { Request, Response } from '../request.ts';
import type { Pages } from '../stream.ts';
import { nextToken } from './loopGuard.ts';
import { createPlaceCounter, numberPlaces, type PlaceCounter } from './placeCounter.ts';
import type { Slice } from './slices.ts';
import { tokenPages } from './tokenPages.ts';

interface Options {
  /** First height wanted. */
  readonly from: number;
  /** First height no longer wanted; null for the newest there is. */
  readonly to: number | null;
  /** @param fewer how many rows less than usual the pages should have */
  readonly request: (slice: Slice, token: string | undefined, fewer: number) => Request;
  /** The list of an answer itself, not a copy: rows may be moved from one page of a block to another. */
  readonly records: (body: unknown) => readonly unknown[];
  /** Height of a raw record; NaN where it cannot be read. */
  readonly heightOf: (record: unknown) => number;
  /**
   * For rows that are told apart only by their place among others (the internal calls of a transaction): the name of what
   * they belong to. Each raw record of the list then gets a member `position`.
   */
  readonly groupOf?: (record: unknown) => string;
  /** What such a row says that never changes, to know it again; the whole record where it is left out. */
  readonly itemOf?: (record: unknown) => string;
}

/**
 * Reads a list that the source cuts by height but always sorts newest first. What fits one page is read at once; a longer
 * history slice by slice, oldest first, in slices that grow where there is little. The checkpoint moves to the end of each
 * slice, and last to the newest height seen, which the next read asks for again.
 */
export function* readHeightSlices(options: Options): Pages {
  const { from, to } = options;
  if (to !== null && from >= to) return;
  const first = yield options.request({ from, to }, undefined, 0);
  const places = placesOf(options);
  const records = options.records(first.body);
  places?.number(records);
  const newest = highest(records.map(options.heightOf));
  if (nextToken(first.body) === undefined) {
    for (const height of places?.unsure ?? []) yield* readBlock(options, height);
    if (newest !== undefined) yield { kind: 'advance', position: { next: newest } };
    return;
  }
  let pages = 0;
  // An empty page with a token says nothing of the newest height: the whole list is one slice then.
  for (const slice of growingSlices(from, newest ?? from, to, () => pages)) {
    const read = yield* readSlice(options, slice);
    pages = read.pages;
    const end = slice.to === null || slice.to === to ? read.newest : slice.to;
    if (end !== undefined) yield { kind: 'advance', position: { next: end } };
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

/** Slices up to a known height; the last one is as open as the list itself, since more may have come. */
function* growingSlices(from: number, newest: number, to: number | null, pagesOfLast: () => number): Generator<Slice> {
  let width = Math.max(1, Math.ceil((newest + 1 - from) / firstSlices));
  let start = from;
  while (start + width <= newest) {
    yield { from: start, to: start + width };
    start += width;
    if (pagesOfLast() < fewPages) width *= 2;
    if (pagesOfLast() > manyPages) width = Math.max(1, Math.floor(width / 2));
  }
  yield { from: start, to };
}

const placesOf = ({ heightOf, groupOf, itemOf = jsonText }: Options): PlaceCounter | undefined =>
  groupOf && createPlaceCounter({ heightOf, groupOf, itemOf });

/** Reads a slice to its last page, and again each block whose rows could not be counted for sure. */
function* readSlice(
  options: Options,
  slice: Slice,
): Generator<Request, { pages: number; newest: number | undefined }, Response> {
  const places = placesOf(options);
  let pages = 0;
  let newest: number | undefined;
  yield* tokenPages(
    (token) => {
      if (token === undefined) places?.restart();
      return options.request(slice, token, 0);
    },
    ({ body }) => {
      pages++;
      const records = options.records(body);
      places?.number(records);
      newest = highest([newest ?? Number.NaN, ...records.map(options.heightOf)]);
    },
  );
  for (const height of places?.unsure ?? []) yield* readBlock(options, height);
  return { pages, newest };
}

/**
 * Reads one block alone, for the places of its rows, until two reads agree: within a block nothing else tells whether a page
 * was wrong. Each read has pages of another size, so that two wrong ones cannot be alike. The rows are all given with the
 * last page.
 */
function* readBlock(options: Options, height: number): Generator<Request, void, Response> {
  const { groupOf, itemOf = jsonText } = options;
  if (!groupOf || Number.isNaN(height)) return;
  const contentOf = (records: readonly unknown[]) =>
    records.map((record) => `${groupOf(record)} ${itemOf(record)}`).join('\n');
  let previous: string | undefined;
  for (let reads = 1; reads <= readsOfBlock; reads++) {
    let rows: unknown[] = [];
    let last: unknown[] = [];
    let before = '';
    yield* tokenPages(
      (token) => {
        if (token === undefined) rows = [];
        return options.request({ from: height, to: height + 1 }, token, (reads - 1) % 3);
      },
      ({ body }) => {
        last = options.records(body) as unknown[];
        const page = last.splice(0);
        const content = contentOf(page);
        // The same page again is no further part of the block.
        if (content !== before) rows.push(...page);
        before = content;
      },
    );
    const content = contentOf(rows);
    if (content === previous) {
      numberPlaces(rows, groupOf, new Map());
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
