import type { Bound } from '../heights/findHeight.ts';
import { highest } from '../highest.ts';
import type { Page, Reading } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Position } from '../stream/partition.ts';
import type { Advance, Pages, Window } from '../stream/stream.ts';
import { endsAbove } from './endsAbove.ts';
import { endsBelow } from './endsBelow.ts';
import { restartsAllowed, walkPages } from './walkPages.ts';

/** Lowest row that is wanted, each member in its own unit; a row below any of them is not. */
export interface Floor {
  /** The checkpoint: in the units of `cursorOf`. */
  readonly cursor?: number;
  /** Unix seconds. */
  readonly time?: number;
  readonly height?: number;
}

/** Durable state of a stream that is read newest first. */
export type NewestFirstPosition = {
  /** Every row at or above `since` and below this cursor has been read. */
  readonly cursor?: number;
  /** Where the first read stopped: what lies below is a backfill's. */
  readonly since?: Floor;
  /** An interrupted read. */
  readonly reading?: Unfinished;
};

/** A page token with which an interrupted read goes on. */
export interface KeptToken {
  readonly token: string;
  /** When it was given, milliseconds since the epoch: it is good for 24 hours. */
  readonly at: number;
  /** The request of its list's first page: with another page size, or another filter, a token means nothing. */
  readonly list: string;
}

interface Unfinished extends KeptToken {
  /** Newest cursor it has seen: the checkpoint once it has met the old one. */
  readonly newest: number;
  readonly until: Floor;
  /** While it has not come down to the checkpoint. */
  readonly isAbove?: true;
}

/** How a list is read that its source sorts newest first. */
export interface NewestFirst<At extends Position = Position> {
  readonly window: Window<At>;
  readonly request: (token: string | undefined) => Request;
  /** Column that descends from page to page. */
  readonly cursor: string;
  readonly time: string;
  readonly height: string;
}

interface Options extends NewestFirst<NewestFirstPosition> {
  /** Where the first run stops; an age counts from the newest row. */
  readonly from: Bound;
}

/** Milliseconds for which a page token is good. */
const tokenLifetime = 24 * 3600 * 1000;

const listOf = ({ request }: NewestFirst) => JSON.stringify(request(undefined));

/** A token as it is made durable. */
export const keptToken = (list: NewestFirst, token: string): KeptToken => ({
  token,
  at: list.window.now,
  list: listOf(list),
});

/** Whether a token that was made durable may be used. */
export const isGood = (list: NewestFirst, kept: KeptToken): boolean =>
  list.window.now - kept.at < tokenLifetime && kept.list === listOf(list);

/** Leaves out the rows below a floor, and says how many of the page they are. */
export function dropBelow({ cursor, time, height }: NewestFirst, floor: Floor | undefined, page: Page): number {
  if (floor === undefined) return 0;
  page.within(cursor, floor.cursor);
  page.within(time, floor.time);
  page.within(height, floor.height);
  return page.length - page.kept;
}

/**
 * Reads from the head back to the checkpoint, strictly below it since cursors tie. The checkpoint moves only when the
 * read has met it; until then the page token and the newest cursor are durable beside it, so that a read outlives runs.
 * The read begins again at the head where the source refuses the token, where the token is older than 24 hours or was given to another
 * request, and where the list ends above the checkpoint.
 *
 * @throws FirnError `unavailable` where the list ends below the checkpoint, or above it
 */
export function* readNewestFirst(options: Options): Pages<NewestFirstPosition> {
  const { window } = options;
  let { reading, ...done } = window.position ?? ({} as NewestFirstPosition);
  if (reading && isGood(options, reading)) {
    const end = yield* walk(options, done, reading);
    // Rows newer than the interrupted read are fetched by a second one from the head.
    if (end !== null && 'newest' in end) {
      done = { cursor: end.newest, since: done.since ?? end.until };
      yield { kind: 'advance', position: { ...done } };
    }
  }
  for (let restarts = 0; ; restarts++) {
    const end = yield* walk(options, done, undefined);
    if (end === null) return;
    if ('newest' in end) {
      yield { kind: 'advance', position: { cursor: end.newest, since: done.since ?? end.until } };
      return;
    }
    if (restarts === restartsAllowed) throw end.refused;
  }
}

interface End {
  readonly newest: number;
  readonly until: Floor;
}

/** Walks pages down to the floor. Null where the list is empty. */
function* walk(
  options: Options,
  done: Omit<NewestFirstPosition, 'reading'>,
  resume: Unfinished | undefined,
): Generator<Request | Reading | Advance<NewestFirstPosition>, End | { readonly refused: unknown } | null, Page> {
  const { cursor, from, request } = options;
  let newest = resume?.newest;
  // A read that looks back may have no cursor, though the first one has ended.
  let until: Floor | undefined = resume?.until ?? (done.cursor === undefined ? done.since : { cursor: done.cursor });
  const floor = watchFloor();
  let atHead = resume === undefined;
  let kept = 0;
  const checkpoint = until?.cursor ?? Number.POSITIVE_INFINITY;
  let isAbove = resume ? resume.isAbove === true : until?.cursor !== undefined;
  const refused = yield* walkPages<NewestFirstPosition>({
    request,
    token: resume?.token,
    lost: { ...done },
    // Only behind the first page, and where there is a floor, may the rows say that nothing more need be asked.
    goesOn: () => !atHead && !floor.isMet,
    take(page, token) {
      const cursors = page.numbers(cursor);
      until ??= floorOf(options, from, page);
      const below = dropBelow(options, until, page);
      // A row that does not say where it stands may be the one at the checkpoint.
      isAbove &&= cursors.every((at) => at > checkpoint);
      // Rows below the floor tell nothing of the head: as a checkpoint they would let in what is not wanted.
      newest = page.newestKept(cursor, newest);
      kept += page.kept;
      // Of a list that ascends, what is new lies behind a page that ends with the checkpoint.
      const nothingNew = atHead && below > 0 && newest === cursors[0] && newest === until?.cursor;
      if (floor.isPassed(cursors, below) || nothingNew) return 'end';
      atHead = false;
      if (token === undefined || newest === undefined || until === undefined) return undefined;
      return { ...done, reading: { ...keptToken(options, token), newest, until, ...(isAbove && { isAbove }) } };
    },
  });
  if (refused) return refused;
  // The row at the checkpoint was read: a list without it has lost rows.
  if (!resume && done.cursor !== undefined && kept === 0) throw endsBelow(request(undefined), cursor, done.cursor);
  if (isAbove) return { refused: endsAbove(request(undefined), cursor, checkpoint) };
  return newest === undefined ? null : { newest, until: until ?? {} };
}

/**
 * Watches a walk from the newest row on for its end. Pages may come out of order, and twice: one that is wholly below the floor, and below
 * the one that met it, must follow before the end is believed.
 */
export function watchFloor() {
  /** Newest row of the pages that went below the floor. */
  let metAt: number | undefined;
  return {
    get isMet(): boolean {
      return metAt !== undefined;
    },
    /**
     * @param cursors of the rows of a page
     * @param below how many of them lie below the floor
     */
    isPassed(cursors: Float64Array, below: number): boolean {
      const top = highest(cursors);
      if (top === undefined) return false;
      if (below === cursors.length && metAt !== undefined && top < metAt) return true;
      // What lies above it comes behind: it was met too early.
      metAt = below === 0 ? undefined : top;
      return false;
    },
  };
}

/** The floor that a bound means; an age counts from the newest row of the first page that has rows which can be read, and means none before it. */
export function floorOf({ time }: NewestFirst, from: Bound, page?: Page): Floor | undefined {
  if ('height' in from) return { height: from.height };
  if ('time' in from) return { time: from.time };
  const newest = page?.newest(time);
  return newest === undefined ? undefined : { time: newest - from.age };
}
