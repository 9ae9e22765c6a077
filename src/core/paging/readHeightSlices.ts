import { FirnError } from '../firnError.ts';
import type { Looking, Page } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Position } from '../stream/partition.ts';
import type { Pages } from '../stream/stream.ts';
import { endsBelow } from './endsBelow.ts';
import { look } from './look.ts';
import { createRepeats } from './repeats.ts';
import type { Slice } from './slices.ts';
import { tokenPages } from './tokenPages.ts';

interface Options<At extends Position = Position> {
  /** First height wanted. */
  readonly from: number;
  /** Whether a row was read at `from` or above: a list without any is behind. */
  readonly holds?: boolean;
  /** First height no longer wanted; null for the newest there is. */
  readonly to: number | null;
  /** Rows of a page at most. */
  readonly pageSize: number;
  /** As many as the source gives at once: a block that is read alone is best read as one page. Where it is left out, `pageSize`. */
  readonly largestPage?: number;
  readonly request: (slice: Slice, token: string | undefined, pageSize: number) => Request;
  /** Column of the height. */
  readonly height: string;
  /**
   * Columns that tell rows apart to which the source gives no key. Rows that are alike in them are counted on their page; where they
   * stand on two pages, which may be one page that came twice, their block is read alone.
   */
  readonly items?: readonly string[] | undefined;
  /** Leaves out of a page what is not wanted for another reason than its height. */
  readonly leaveOut?: (page: Page) => void;
  /** Blocks of the first slice, as a read that ended early left it. */
  readonly width?: number | undefined;
  /** What to make durable when everything below the height has been read; with the width of the slice that comes next, unless all is read. */
  readonly position: (height: number, width?: number) => At;
}

/**
 * Reads a list that the source cuts by height but always sorts newest first. What fits one page is read at once; a longer
 * history slice by slice, oldest first, in slices that grow where there is little and shrink where there is much. The checkpoint moves to the end
 * of each slice, and last to the newest height seen, which the next read asks for again.
 *
 * @throws FirnError `unavailable` where the list ends below what was read of it before
 */
export function* readHeightSlices<At extends Position>(options: Options<At>): Pages<At> {
  const { from, to, height, pageSize } = options;
  if (to !== null && from >= to) return;
  const { page: first, more } = yield* look((token) => options.request({ from, to }, token, pageSize));
  if (options.holds && first.length === 0)
    throw endsBelow(options.request({ from, to }, undefined, pageSize), height, from);
  // Rows that a source gives beyond the end, unasked, are left out: they do not count as read.
  const newest = first.newest(height, undefined, to);
  leaveOutside(options, { from, to }, first);
  if (more) yield* readInSlices(options, first.numbers(height), Math.max(from, newest ?? from));
  else if (newest !== undefined) yield { kind: 'advance', position: options.position(newest) };
}

function leaveOutside({ height, leaveOut }: Options, { from, to }: Slice, page: Page): void {
  page.within(height, from, to);
  leaveOut?.(page);
}

const firstSlices = 16;
const fewPages = 2;
const manyPages = 20;
const mostPages = 100;
const readsOfBlock = 6;

/**
 * Reads slices up to a known height; the last one is as open as the list itself, since more may have come. How many pages the first one may have
 * is told by the newest page, or by the read that ended early. A slice that has too many is given up for a part of it, so that a run which ends early
 * has moved the checkpoint: rows that were read of it come again, and merge by their key.
 *
 * @param heights of the rows on the newest page
 * @param top the known height
 */
function* readInSlices<At extends Position>(options: Options<At>, heights: Float64Array, top: number): Pages<At> {
  const { from, to } = options;
  const oldest = Math.min(top, ...heights.filter((height) => height >= from));
  let width = options.width ?? Math.min(Math.ceil((top + 1 - from) / firstSlices), (top + 1 - oldest) * manyPages);
  for (let start = from; start <= top; ) {
    const isLast = start + width > top;
    const blocks = isLast ? top + 1 - start : width;
    const most = blocks > 1 ? mostPages : Number.POSITIVE_INFINITY;
    const slice = { from: start, to: isLast ? to : start + width };
    const { pages, newest, isCut } = yield* readSlice(options, slice, most);
    if (isCut) {
      width = Math.ceil(blocks / firstSlices);
      yield { kind: 'advance', position: options.position(start, width) };
      continue;
    }
    start += width;
    if (pages < fewPages) width *= 2;
    if (pages > manyPages) width = Math.max(1, Math.floor(width / 2));
    if (!isLast) yield { kind: 'advance', position: options.position(start, width) };
    else if (newest !== undefined) yield { kind: 'advance', position: options.position(newest) };
  }
}

/**
 * Reads a slice to its last page, and alone each block with rows that are alike on two pages. One that has more pages than `most` is cut there:
 * nothing of it counts as read.
 */
function* readSlice(
  options: Options,
  slice: Slice,
  most: number,
): Looking<{ pages: number; newest: number | undefined; isCut: boolean }> {
  const { height, items, pageSize } = options;
  const repeats = createRepeats();
  let pages = 0;
  let newest: number | undefined;
  const isCut = yield* tokenPages<Page>(
    (token) => {
      if (token === undefined) repeats.restart();
      return options.request(slice, token, pageSize);
    },
    (page) => {
      pages++;
      if (items) repeats.page(page.numbers(height), page.texts(items));
      newest = page.newest(height, newest, slice.to);
      leaveOutside(options, slice, page);
    },
    undefined,
    items !== undefined,
    most,
  );
  if (!isCut) for (const at of repeats.heights) yield* readBlock(options, at);
  return { pages, newest, isCut };
}

/**
 * Reads one block alone until two reads more speak for what is in it, in whatever order, than for anything else: nothing else tells a page
 * that came twice from rows that are alike. Each read speaks for its pages with those that were the one before again, and without them.
 * Pages are as large as the source gives them, since what fits one leaves little doubt, and of another size each time, so that two wrong
 * reads are hardly alike. Where all that speak for the same had pages of the same size, since the source gives fewer rows than it is asked for,
 * one by smaller pages must speak for it, too. The pages of a read are held until it is known whether they are right, and then taken together,
 * so that the rows are counted as on one.
 */
function* readBlock(options: Options, height: number): Looking<void> {
  const { items = [], pageSize, largestPage = pageSize } = options;
  const slice = { from: height, to: height + 1 };
  /** By content, the rows on the fullest page of each read that speaks for it; 1 where nothing hides between pages, or no size is heeded. */
  const votes = new Map<string, readonly number[]>();
  let smaller: number | undefined;
  for (let reads = 1; reads <= readsOfBlock; reads++) {
    let pages: { readonly page: Page; readonly texts: readonly string[]; readonly isAgain: boolean }[] = [];
    let content: string | undefined;
    const less = (reads - 1) % 3;
    const size = smaller ?? (less < largestPage ? largestPage - less : largestPage + less);
    const drop = () => {
      for (const { page } of pages) page.drop();
      pages = [];
      content = undefined;
    };
    yield* tokenPages<Page>(
      (token) => {
        if (token === undefined) drop();
        return options.request(slice, token, size);
      },
      (page) => {
        const texts = page.texts(items);
        const isAgain = textOf(texts) === content;
        // An empty page stands between no two.
        if (texts.length > 0) content = textOf(texts);
        page.hold();
        leaveOutside(options, slice, page);
        pages.push({ page, texts, isAgain });
      },
      undefined,
      true,
    );
    const fullest = Math.max(1, ...pages.map(({ texts }) => texts.length));
    const told = pages.length === 1 || fullest > size ? 1 : fullest;
    const all = textOf(pages.flatMap(({ texts }) => texts));
    const once = textOf(pages.flatMap(({ texts, isAgain }) => (isAgain ? [] : texts)));
    const votesFor = (content: string) => votes.get(content) ?? [];
    for (const content of new Set([once, all])) votes.set(content, [...votesFor(content), told]);
    const lead = (content: string): number =>
      Math.min(...[...votes].map(([other, { length }]) => votesFor(content).length - (other === content ? 0 : length)));
    const right = [all, once].find((content) => lead(content) >= (reads < readsOfBlock ? 2 : 1));
    // Rows that come on two pages each time where pages end are the same in each read of such pages.
    const sizes = new Set(right === undefined ? [] : votesFor(right));
    if (right !== undefined && (sizes.size > 1 || sizes.has(1))) {
      for (const { page, isAgain } of pages) isAgain && right !== all ? page.drop() : page.take();
      return;
    }
    smaller = right === undefined ? undefined : fullest - 1;
    drop();
  }
  throw new FirnError(
    'contract',
    `Block ${height} reads differently each time it is asked for, so its rows cannot be told apart. ` +
      'What was read is kept; run again later, and report it to the operator of the source if this persists.',
    { retryable: true },
  );
}

const textOf = (texts: readonly string[]) => texts.toSorted().join('\n');
