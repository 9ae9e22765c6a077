import { FirnError } from '../firnError.ts';
import type { Request, Response } from '../request.ts';
import type { Pages, Window } from '../stream.ts';
import { nextToken } from './tokenPages.ts';

/** Durable state of a stream that is read newest first. Cursors are in the units of `cursorOf` (Unix seconds, heights). */
interface Reading {
  /** Page token with which the interrupted read goes on. */
  readonly token: string;
  /** When the token was given, milliseconds since the epoch: it is good for 24 hours. */
  readonly at: number;
  /** Newest cursor the interrupted read has seen: the checkpoint once it has met the old one. */
  readonly newest: number;
  /** Where the read stops: the old checkpoint, or the floor of a first run. */
  readonly until: number;
}

interface NewestFirstPosition {
  readonly cursor?: number;
  readonly reading?: Reading;
}

interface Options {
  readonly window: Window;
  readonly request: (token: string | undefined, keep: (record: unknown) => boolean) => Request;
  readonly records: (body: unknown) => readonly unknown[];
  /** The ordered value of a raw record, descending from page to page. */
  readonly cursorOf: (record: unknown) => number;
  /** Where the first run stops, given the newest cursor. */
  readonly floor: (newest: number) => number;
}

const tokenLifetime = 24 * 3600 * 1000;

/**
 * Reads from the head back to the checkpoint, strictly below it since cursors tie. The checkpoint moves only when the
 * read has met it; until then the page token and the newest cursor are durable beside it, so that a read outlives runs. A token
 * that the source refuses, or that is older than its 24 hours, restarts the read at the head.
 */
export function* readNewestFirst(options: Options): Pages {
  const position = (options.window.position ?? {}) as NewestFirstPosition;
  const { reading } = position;
  if (reading && options.window.now - reading.at < tokenLifetime) {
    // The pages above the interrupted read are newer than its newest row: a second read from the head fetches them.
    const resumed = yield* walk(options, reading.until, reading);
    if (resumed) {
      yield { kind: 'advance', position: { cursor: reading.newest } };
      yield* fromHead(options, reading.newest);
      return;
    }
  }
  yield* fromHead(options, position.cursor);
}

function* fromHead(options: Options, checkpoint: number | undefined): Pages {
  const newest = yield* walk(options, checkpoint, undefined);
  if (newest !== false && newest !== undefined) yield { kind: 'advance', position: { cursor: newest } };
}

/** Walks pages down to `until`; returns the newest cursor, undefined for an empty list, false where the token was refused. */
function* walk(
  options: Options,
  until: number | undefined,
  resume: Reading | undefined,
): Generator<
  Request | { kind: 'advance'; position: NewestFirstPosition & Record<string, unknown> },
  number | undefined | false,
  Response
> {
  let token = resume?.token;
  let newest = resume?.newest;
  let floor = until;
  const seen = new Set<string>();
  const keep = (record: unknown) => floor === undefined || options.cursorOf(record) >= floor;
  for (;;) {
    let response: Response;
    try {
      response = yield options.request(token, keep);
    } catch (error) {
      if (resume && token === resume.token && error instanceof FirnError && !error.retryable && error.code === 'failed')
        return false;
      throw error;
    }
    const cursors = options.records(response.body).map(options.cursorOf);
    const first = cursors.length > 0 ? Math.max(...cursors) : undefined;
    if (newest === undefined) newest = first;
    if (floor === undefined && newest !== undefined) floor = options.floor(newest);
    const next = nextToken(response.body);
    const below = floor !== undefined && cursors.length > 0 && Math.min(...cursors) < floor;
    if (below || next === undefined) return newest;
    if (seen.has(next)) {
      throw new FirnError(
        'contract',
        `page token ${next} came twice: paging would never end. What was read is kept; run again later.`,
      );
    }
    seen.add(next);
    token = next;
    if (newest !== undefined && floor !== undefined) {
      const { cursor } = (options.window.position ?? {}) as NewestFirstPosition;
      yield {
        kind: 'advance',
        position: {
          ...(cursor !== undefined && { cursor }),
          reading: { token: next, at: options.window.now, newest, until: floor },
        },
      };
    }
  }
}
