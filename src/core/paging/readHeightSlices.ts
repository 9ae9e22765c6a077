import { FirnError } from '../firnError.ts';
import type { Request, Response } from '../request.ts';
import type { Pages, Position } from '../stream.ts';
import { nextToken } from './loopGuard.ts';
import { createRepeats } from './repeats.ts';
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
   * For rows that the source gives no key: what tells one from another, as text. Those that say the same are counted on their
   * page; where they stand on two pages, which may be one page that came twice, their block is read alone.
   */
  readonly itemOf?: (record: unknown) => string;
  /** What to make durable when everything below the height has been read. */
  readonly position: (height: number) => Position;
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
  const newest = highest(options.records(first.body).map(options.heightOf));
  if (nextToken(first.body) === undefined) {
    if (newest !== undefined) yield { kind: 'advance', position: options.position(newest) };
    return;
  }
  let pages = 0;
  // An empty page with a token says nothing of the newest height: the whole list is one slice then.
  for (const slice of growingSlices(from, newest ?? from, to, () => pages)) {
    const read = yield* readSlice(options, slice);
    pages = read.pages;
    const end = slice.to === null || slice.to === to ? read.newest : slice.to;
    if (end !== undefined) yield { kind: 'advance', position: options.position(end) };
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

/** Reads a slice to its last page, and alone each block with rows that are alike on two pages. */
function* readSlice(
  options: Options,
  slice: Slice,
): Generator<Request, { pages: number; newest: number | undefined }, Response> {
  const { itemOf } = options;
  const repeats = itemOf && createRepeats({ ...options, itemOf });
  let pages = 0;
  let newest: number | undefined;
  yield* tokenPages(
    (token) => {
      if (token === undefined) repeats?.restart();
      return options.request(slice, token, 0);
    },
    ({ body }) => {
      pages++;
      const records = options.records(body);
      repeats?.page(records);
      newest = highest([newest ?? Number.NaN, ...records.map(options.heightOf)]);
    },
  );
  for (const height of repeats?.heights ?? []) yield* readBlock(options, height);
  return { pages, newest };
}

/**
 * Reads one block alone until two reads agree, in whatever order: nothing else tells a page that came twice from rows that are
 * alike. Each read has pages of another size, so that two wrong ones cannot be alike. The rows are all given with the last
 * page, where they are counted.
 */
function* readBlock(options: Options, height: number): Generator<Request, void, Response> {
  const { itemOf = String } = options;
  const contentOf = (records: readonly unknown[]) => records.map(itemOf).sort().join('\n');
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
