import type { Request, Response } from '../request.ts';
import type { Advance } from '../stream.ts';
import { createLoopGuard, isTokenRefused } from './loopGuard.ts';

interface Options {
  /** Lowest cursor wanted, inclusive. */
  readonly from: number;
  readonly request: (from: number, token: string | undefined) => Request;
  readonly records: (body: unknown) => readonly unknown[];
  /** The ordered value of a raw record, ascending from page to page; NaN where it cannot be read. */
  readonly cursorOf: (record: unknown) => number;
  /** What to make durable when everything below the cursor has been read. */
  readonly position: (cursor: number) => Readonly<Record<string, unknown>>;
}

const restartsAllowed = 3;

/**
 * Reads a list that the source sorts oldest first, and moves the checkpoint while it reads. It stays one page behind, and
 * stops moving once a page came out of order, so that a kill never leaves unread rows below it. A refused token restarts
 * the read at the checkpoint.
 *
 * @returns the newest cursor seen, `from` where there was none
 */
export function* readAscending(options: Options): Generator<Request | Advance, number, Response> {
  let safe = options.from;
  for (let restarts = 0; ; restarts++) {
    const walking = walk(options, safe, (cursor) => {
      safe = cursor;
    });
    const newest = yield* walking;
    if ('newest' in newest) {
      if (newest.newest > options.from) yield { kind: 'advance', position: options.position(newest.newest) };
      return newest.newest;
    }
    if (restarts === restartsAllowed) throw newest.refused;
  }
}

function* walk(
  options: Options,
  from: number,
  moved: (cursor: number) => void,
): Generator<Request | Advance, { newest: number } | { refused: unknown }, Response> {
  const guard = createLoopGuard();
  let token: string | undefined;
  let newest = from;
  let safe = from;
  let ordered = true;
  for (;;) {
    const asked = options.request(from, token);
    let response: Response;
    try {
      response = yield asked;
    } catch (error) {
      if (isTokenRefused(error, token)) return { refused: error };
      throw error;
    }
    const cursors = options.records(response.body).map(options.cursorOf);
    const readable = cursors.filter((cursor) => !Number.isNaN(cursor));
    if (readable.length > 0) {
      if (Math.min(...readable) < newest) ordered = false;
      if (ordered && newest > safe) {
        safe = newest;
        moved(safe);
        yield { kind: 'advance', position: options.position(safe) };
      }
      newest = Math.max(newest, ...readable);
    }
    const next = guard.next(asked, response.body);
    if (next === undefined) return { newest };
    token = next;
  }
}
