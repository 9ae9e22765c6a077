import type { Request, Response } from '../request.ts';
import type { Advance, Pages, Window } from '../stream.ts';
import type { Bound } from './findHeight.ts';
import { createLoopGuard, isTokenRefused } from './loopGuard.ts';

/** Lowest row that is wanted, each member in its own unit; a row below any of them is not. */
export interface Floor {
  /** The checkpoint: in the units of `cursorOf`. */
  readonly cursor?: number;
  /** Unix seconds. */
  readonly time?: number;
  readonly height?: number;
}

/** Durable state of a stream that is read newest first. */
export interface NewestFirstPosition {
  /** Every row at or above `since` and below this cursor has been read. */
  readonly cursor?: number;
  /** Where the first read stopped: what lies below is a backfill's. */
  readonly since?: Floor;
  /** An interrupted read. */
  readonly reading?: Reading;
}

interface Reading {
  /** Page token with which it goes on. */
  readonly token: string;
  /** When the token was given, milliseconds since the epoch: it is good for 24 hours. */
  readonly at: number;
  /** Newest cursor it has seen: the checkpoint once it has met the old one. */
  readonly newest: number;
  readonly until: Floor;
}

/** How a list is read that its source sorts newest first. */
export interface NewestFirst {
  readonly window: Window;
  readonly request: (token: string | undefined, keep: (record: unknown) => boolean) => Request;
  readonly records: (body: unknown) => readonly unknown[];
  /** The ordered value of a raw record, descending from page to page; NaN where it cannot be read. */
  readonly cursorOf: (record: unknown) => number;
  /** Unix seconds of a raw record. */
  readonly timeOf: (record: unknown) => number;
  readonly heightOf: (record: unknown) => number;
}

interface Options extends NewestFirst {
  /** Where the first run stops; an age counts from the newest row. */
  readonly from: Bound;
}

/** Milliseconds for which a page token is good. */
export const tokenLifetime = 24 * 3600 * 1000;
/** How often a read is begun anew because its token was refused. */
export const restartsAllowed = 3;

/** Whether a row lies below a floor. NaN is below nothing: a record that cannot be read goes on to the schema, which says what is wrong. */
export function isBelow({ cursorOf, timeOf, heightOf }: NewestFirst, floor: Floor, record: unknown): boolean {
  return (
    cursorOf(record) < (floor.cursor ?? Number.NEGATIVE_INFINITY) ||
    timeOf(record) < (floor.time ?? Number.NEGATIVE_INFINITY) ||
    heightOf(record) < (floor.height ?? Number.NEGATIVE_INFINITY)
  );
}

/**
 * Reads from the head back to the checkpoint, strictly below it since cursors tie. The checkpoint moves only when the
 * read has met it; until then the page token and the newest cursor are durable beside it, so that a read outlives runs.
 * A token that the source refuses, or that is older than its 24 hours, restarts the read at the head.
 */
export function* readNewestFirst(options: Options): Pages {
  const { window } = options;
  let { reading, ...done } = (window.position ?? {}) as NewestFirstPosition;
  if (reading && window.now - reading.at < tokenLifetime) {
    const end = yield* walk(options, done, reading);
    // What is newer than the interrupted read is fetched by a second one from the head.
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
  resume: Reading | undefined,
): Generator<Request | Advance, End | { readonly refused: unknown } | null, Response> {
  const { cursorOf } = options;
  const guard = createLoopGuard();
  let token = resume?.token;
  let newest = resume?.newest;
  let until: Floor | undefined = resume?.until ?? (done.cursor === undefined ? undefined : { cursor: done.cursor });
  const isBelowFloor = (record: unknown) => until !== undefined && isBelow(options, until, record);
  let metFloor = false;
  let atHead = resume === undefined;
  for (;;) {
    const asked = options.request(token, (record) => !isBelowFloor(record));
    let response: Response;
    try {
      response = yield asked;
    } catch (error) {
      if (isTokenRefused(error, token)) return { refused: error };
      throw error;
    }
    const records = options.records(response.body);
    for (const record of records) {
      const cursor = cursorOf(record);
      if (cursor > (newest ?? Number.NEGATIVE_INFINITY)) newest = cursor;
    }
    if (until === undefined && newest !== undefined) until = floorOf(options, options.from, records);
    let next: string | undefined;
    try {
      next = guard.next(asked, response.body);
    } catch (error) {
      // A token that leads nowhere must not be what the next run goes on with.
      yield { kind: 'advance', position: { ...done } };
      throw error;
    }
    const below = records.filter(isBelowFloor).length;
    // Pages may come out of order: where there is news, a page wholly below the floor must follow before it is believed.
    const nothingNew = atHead && below > 0 && newest === until?.cursor;
    const ended = nothingNew || (metFloor && below > 0 && below === records.length);
    metFloor ||= below > 0;
    atHead = false;
    if (ended || next === undefined) {
      return newest === undefined ? null : { newest: Math.max(newest, done.cursor ?? newest), until: until ?? {} };
    }
    token = next;
    if (newest !== undefined && until !== undefined) {
      const reading: Reading = { token, at: options.window.now, newest, until };
      yield { kind: 'advance', position: { ...done, reading } };
    }
  }
}

/** The floor that a bound means; an age counts from the newest row of the first page that has rows. */
export function floorOf({ timeOf }: NewestFirst, from: Bound, records: readonly unknown[]): Floor {
  if ('height' in from) return { height: from.height };
  if ('time' in from) return { time: from.time };
  const times = records.map(timeOf).filter((time) => !Number.isNaN(time));
  return { time: Math.max(...times) - from.age };
}
