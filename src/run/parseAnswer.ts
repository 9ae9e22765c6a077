import { FirnError } from '../core/firnError.ts';
import { type ParsedPage, parseRecords } from '../core/parseRecords.ts';
import type { Request, Response } from '../core/request.ts';
import type { LookupStream, PagedStream, SnapshotStream } from '../core/stream.ts';
import { checked } from './checked.ts';
import type { ReadContext } from './partitionContext.ts';

/** An answer, and what it is to. */
export interface Answered {
  readonly request: Request;
  readonly response: Response;
  /** What a lookup asked for. */
  readonly key?: string;
}

/** A request whose answer comes parsed to the last value. */
export const parsedWhole = (request: Request): Request => ({ ...request, raw: undefined });

/**
 * Makes rows of the records of an answer. Where one that came unparsed is no JSON, the answer is asked for again and parsed whole: the
 * client then sees it too, and asks as often as its policy says.
 *
 * @param page what to add to
 * @returns how many records there were
 */
export async function parseAnswer(
  stream: PagedStream | SnapshotStream | LookupStream,
  context: Pick<ReadContext, 'partition' | 'network' | 'fetch'>,
  { request, response, key = '' }: Answered,
  page: ParsedPage,
): Promise<number> {
  const { partition, network, fetch } = context;
  const keep = 'keep' in request && request.keep ? request.keep : () => true;
  const take = ({ body }: Response): number => {
    const raws = stream.records(body, partition, key).filter(keep);
    parseRecords(stream, partition, network, raws, page);
    return raws.length;
  };
  const mark = page.set.mark();
  const before = page.quarantined.length;
  try {
    return take(response);
  } catch (error) {
    if (!(error instanceof FirnError) || error.code !== 'contract') throw error;
    page.set.takeBack(mark);
    page.quarantined.length = before;
    return take(await fetch(checked(stream, partition, parsedWhole(request), key)));
  }
}
