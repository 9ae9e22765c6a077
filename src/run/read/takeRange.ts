import { type ErrorCode, FirnError } from '../../core/firnError.ts';
import { jsonText } from '../../core/json/jsonText.ts';
import { RawValue } from '../../core/json/rawValue.ts';
import { brokenLinks, type Gap, missingPositions, positionOf } from '../../core/paging/rangeGaps.ts';
import { emptyPage, type ParsedPage, parseRecords } from '../../core/parse/parseRecords.ts';
import { recycleRowSets } from '../../core/parse/rowSet.ts';
import type { Request } from '../../core/requests/request.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { answer, type Fetch, orParsedWhole } from '../sources/drive.ts';
import { loopTurn } from './loopTurn.ts';
import type { ReadContext } from './partitionContext.ts';

/** One range as it was answered, parsed. */
export interface TakenRange {
  readonly from: number;
  readonly to: number;
  readonly page: ParsedPage;
  /** Records of the page, good and bad. */
  readonly records: number;
  /** Positions that the source does not have, where it may lack some. */
  readonly gaps: readonly Gap[];
  /** The first position that is missing where none may be: the page ends before it. */
  readonly hole: Gap | undefined;
  /** Why what lies behind `to` was not given, though more was asked for. */
  readonly failure?: unknown;
  readonly request: Request;
  readonly bytes: number;
  readonly fetchedAt: number;
}

/**
 * Asks for a range and parses it as it arrives: rows wait for their turn, not the text of records, which the
 * garbage collector would copy again and again (a fifth of the time of a load of containers).
 *
 * @param passesOver whether the source may lack positions
 * @returns the part before a position that the source does not give yet, where there is any
 */
export async function takeRange(
  stream: RangeStream,
  context: ReadContext,
  range: Taking,
  again = mostAgain,
): Promise<TakenRange> {
  try {
    return await takeWhole(stream, context, range);
  } catch (failure) {
    const lacks = failure instanceof FirnError ? failure.context.lacks : undefined;
    if (lacks === undefined || lacks <= range.from || lacks > range.to || again === 0) throw failure;
    return { failure, ...(await takeRange(stream, context, { ...range, to: lacks - 1 }, again - 1)) };
  }
}

/** How often less of a range is asked for: the position that it was said to lack need not be the first one. */
const mostAgain = 2;

interface Taking {
  readonly from: number;
  readonly to: number;
  readonly passesOver: boolean;
}

async function takeWhole(
  stream: RangeStream,
  context: ReadContext,
  { from, to, passesOver }: Taking,
): Promise<TakenRange> {
  const { fetch, last } = measured(context.fetch);
  const { ask, agreed, read, parse } = createRangeReader(stream, context, fetch, { from, to });
  let { records, page } = await ask();
  if (page.quarantined.length > 0) {
    records = replaceUnreadable(stream, page, records, (await orUndefined(read())) ?? []);
    recycleRowSets(stream, [page.set]);
    page = await parse(records);
  }
  ({ records, page } = await agreed({ records, page }));
  const gaps = [...missingPositions(stream, { from, to }, records), ...brokenLinks(stream, undefined, page.set.own)];
  const [hole] = passesOver ? [] : gaps.sort((a, b) => a.from - b.from);
  if (hole) {
    recycleRowSets(stream, [page.set]);
    records = records.slice(0, hole.from - from);
    page = await parse(records);
  }
  // Only now: a block that came in place of another one stands twice in its answer, with all its rows.
  stream.amend?.(page.set, context.state);
  return { from, to, page, records: records.length, gaps: passesOver ? gaps : [], hole, ...last() };
}

/** A byte may have been flipped on the way: from the second answer only records are taken that could not be read in the first. */
function replaceUnreadable(
  stream: RangeStream,
  { quarantined }: ParsedPage,
  records: readonly RawValue[],
  again: readonly RawValue[],
): readonly RawValue[] {
  const bad = new Set(quarantined.map(({ record }) => record));
  const anew = new Map(again.map((raw) => [positionOf(stream, raw), raw]));
  return records.map((raw) => (bad.has(textOf(stream, raw)) ? (anew.get(positionOf(stream, raw)) ?? raw) : raw));
}

/** A raw record as quarantine holds it. */
const textOf = ({ source }: RangeStream, raw: RawValue) => jsonText(raw.parse(source));

/** Raw records of a range, and the rows they became. */
interface ParsedRange {
  readonly records: readonly RawValue[];
  readonly page: ParsedPage;
}

/** Asks for a range of positions, and makes rows of the answer. */
export interface RangeReader {
  /** The raw records, in order. */
  read(): Promise<readonly RawValue[]>;
  parse(records: readonly RawValue[]): Promise<ParsedPage>;
  /** Both. */
  ask(): Promise<ParsedRange>;
  /** The range; asked for once more, now with care, where its parts do not belong together. */
  agreed(range: ParsedRange): Promise<ParsedRange>;
}

/**
 * Records parsed before other work has its turn, and milliseconds after which no more are. DuckDB asks JavaScript for every 2,048 rows it
 * stores, some 25 times a batch, and waits each time for the ranges that are parsed: with 2 ms of each of four, 10,000 blocks took 4.3 s in
 * place of 4.0.
 */
const recordsAtOnce = 4;
const msAtOnce = 0.5;

/** The records that a stream gave, also where it parsed them itself. */
function unparsed(records: Iterable<unknown>): readonly RawValue[] {
  if (!(Symbol.iterator in Object(records))) throw new TypeError('"read" must return a list of records.');
  return Array.from(records, RawValue.from);
}

export function createRangeReader(
  stream: RangeStream,
  { partition, network, state }: Pick<ReadContext, 'partition' | 'network' | 'state'>,
  fetch: Fetch,
  { from, to }: { readonly from: number; readonly to: number },
): RangeReader {
  const read = async (made = (request: Request) => request) =>
    unparsed(await answer(stream.read(partition, from, to, state), (request) => fetch(made(request))));
  const parse = async (records: readonly RawValue[]) => {
    const page = emptyPage(stream, partition);
    for (let start = 0; start < records.length; ) {
      await loopTurn();
      const end = performance.now() + msAtOnce;
      do {
        parseRecords(stream, partition, network, records.slice(start, start + recordsAtOnce), page);
        start += recordsAtOnce;
      } while (start < records.length && performance.now() < end);
    }
    return page;
  };
  const ask = async (): Promise<ParsedRange> =>
    orParsedWhole(await read(), async (records) => ({ records, page: await parse(records) }), read);
  return {
    read: () => read(),
    parse,
    ask,
    async agreed(range) {
      if (stream.agree?.(range.page.set, state) !== false) return range;
      recycleRowSets(stream, [range.page.set]);
      return ask();
    },
  };
}

/** A fetch that remembers what it did: the first request, bytes in all, and when the last answer was asked for. */
export function measured(fetch: Fetch): {
  fetch: Fetch;
  last(): { request: Request; bytes: number; fetchedAt: number };
} {
  let first: Request | undefined;
  let bytes = 0;
  let fetchedAt = 0;
  return {
    async fetch(request) {
      const response = await fetch(request);
      first ??= request;
      bytes += response.bytes;
      fetchedAt = Math.max(fetchedAt, response.fetchedAt);
      return response;
    },
    last() {
      if (!first) throw new TypeError('nothing was asked yet');
      return { request: first, bytes, fetchedAt };
    },
  };
}

/** Errors that end any read. */
const ending: readonly ErrorCode[] = ['interrupted', 'unauthorized', 'rate_limited', 'disk'];

/** The result of asking again; undefined where the source does not give it. Errors that end any read are thrown. */
export async function orUndefined<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof FirnError && !ending.includes(error.code)) return undefined;
    throw error;
  }
}
