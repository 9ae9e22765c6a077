import { setImmediate } from 'node:timers/promises';
import { emptyPage, type ParsedPage, parseRecords } from '../../core/parseRecords.ts';
import type { Request } from '../../core/request.ts';
import type { RangeStream } from '../../core/stream.ts';
import { answer } from '../sources/drive.ts';
import type { Fetch } from '../sources/fetch.ts';
import { orParsedWhole } from './orParsedWhole.ts';
import type { ReadContext } from './partitionContext.ts';

/** Raw records of a range, and the rows they became. */
interface ParsedRange {
  readonly records: readonly unknown[];
  readonly page: ParsedPage;
}

/** Asks for a range of positions, and makes rows of what comes. */
export interface RangeReader {
  /** The raw records, in order. */
  read(): Promise<readonly unknown[]>;
  parse(records: readonly unknown[]): Promise<ParsedPage>;
  /** Both. */
  ask(): Promise<ParsedRange>;
}

/**
 * Records parsed before other work has its turn: about 2 ms. DuckDB asks JavaScript for every 2,048 rows it stores and would
 * wait for a range to be parsed each time, which doubled the time of a commit.
 */
const recordsAtOnce = 128;

export function createRangeReader(
  stream: RangeStream,
  { partition, network, state }: Pick<ReadContext, 'partition' | 'network' | 'state'>,
  fetch: Fetch,
  { from, to }: { readonly from: number; readonly to: number },
): RangeReader {
  const read = (made = (request: Request) => request) =>
    answer(stream.read(partition, from, to, state), (request) => fetch(made(request)));
  const parse = async (records: readonly unknown[]) => {
    const page = emptyPage(stream, partition);
    for (let start = 0; start < records.length; start += recordsAtOnce) {
      await setImmediate();
      parseRecords(stream, partition, network, records.slice(start, start + recordsAtOnce), page);
    }
    return page;
  };
  return {
    read: () => read(),
    parse,
    ask: async () => orParsedWhole(await read(), async (records) => ({ records, page: await parse(records) }), read),
  };
}
