import { setImmediate } from 'node:timers/promises';
import { rawOf, textIn } from '../core/answerParts.ts';
import { jsonText } from '../core/columns.ts';
import { emptyPage, type ParsedPage, parseRecords } from '../core/parseRecords.ts';
import type { Request } from '../core/request.ts';
import type { RangeStream } from '../core/stream.ts';
import { answer } from './fetch.ts';
import { measured } from './measured.ts';
import type { ReadContext } from './partitionContext.ts';
import { brokenLinks, type Gap, missingPositions } from './rangeGaps.ts';

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
  readonly request: Request;
  readonly bytes: number;
  readonly fetchedAt: number;
}

/**
 * Records parsed before other work has its turn: about 2 ms. DuckDB asks JavaScript for every 2,048 rows it stores and would
 * wait for a range to be parsed each time, which doubled the time of a commit.
 */
const recordsAtOnce = 128;

/**
 * Asks for a range and parses it as it arrives: what waits for its turn are rows, not the text of records, which the
 * garbage collector would copy again and again (a fifth of the time of a load of containers).
 *
 * @param passesOver whether the source may lack positions
 */
export async function takeRange(
  stream: RangeStream,
  context: ReadContext,
  { from, to, passesOver }: { readonly from: number; readonly to: number; readonly passesOver: boolean },
): Promise<TakenRange> {
  const { partition, network } = context;
  const { fetch, last } = measured(context.fetch);
  const read = () => answer(stream.read(partition, from, to), fetch);
  const parse = async (raws: readonly unknown[]) => {
    const page = emptyPage(stream);
    for (let start = 0; start < raws.length; start += recordsAtOnce) {
      await setImmediate();
      parseRecords(stream, partition, network, raws.slice(start, start + recordsAtOnce), page);
    }
    return page;
  };
  let records = await read();
  let page = await parse(records);
  if (page.quarantined.length > 0) {
    records = withAnew(stream, page, records, await read().catch(() => []));
    page = await parse(records);
  }
  const gaps = [...missingPositions(stream, { from, to }, records), ...brokenLinks(stream, undefined, page.rows)];
  const [hole] = passesOver ? [] : gaps.sort((a, b) => a.from - b.from);
  if (hole) {
    records = records.slice(0, hole.from - from);
    page = await parse(records);
  }
  return { from, to, page, records: records.length, gaps: passesOver ? gaps : [], hole, ...last() };
}

/** A byte may have been flipped on the way: of what was asked for once more, only what could not be read is taken. */
function withAnew(
  stream: RangeStream,
  { quarantined }: ParsedPage,
  records: readonly unknown[],
  again: readonly unknown[],
): readonly unknown[] {
  const bad = new Set(quarantined.map(({ record }) => record));
  const positionOf = (raw: unknown) => textIn(rawOf(raw)[stream.position]);
  const anew = new Map(again.map((raw) => [positionOf(raw), raw]));
  return records.map((raw) => (bad.has(jsonText(raw)) ? (anew.get(positionOf(raw)) ?? raw) : raw));
}
