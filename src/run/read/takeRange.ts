import { jsonText } from '../../core/columns.ts';
import type { ParsedPage } from '../../core/parseRecords.ts';
import { RawValue } from '../../core/reader/rawValue.ts';
import type { Request } from '../../core/request.ts';
import { giveBack } from '../../core/rowSet.ts';
import type { RangeStream } from '../../core/stream.ts';
import { measured } from './measured.ts';
import { orNothing } from './orNothing.ts';
import type { ReadContext } from './partitionContext.ts';
import { brokenLinks, type Gap, missingPositions, positionOf } from './rangeGaps.ts';
import { createRangeReader } from './rangeReader.ts';

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
  const { partition } = context;
  const { fetch, last } = measured(context.fetch);
  const { ask, read, parse } = createRangeReader(stream, context, fetch, { from, to });
  let { records, page } = await ask();
  if (page.quarantined.length > 0) {
    records = withAnew(stream, page, records, (await orNothing(read())) ?? []);
    giveBack(stream, partition, [page.set]);
    page = await parse(records);
  }
  if (stream.agree?.(page.set, context.state) === false) {
    giveBack(stream, partition, [page.set]);
    ({ records, page } = await ask());
  }
  const gaps = [...missingPositions(stream, { from, to }, records), ...brokenLinks(stream, undefined, page.set.own)];
  const [hole] = passesOver ? [] : gaps.sort((a, b) => a.from - b.from);
  if (hole) {
    giveBack(stream, partition, [page.set]);
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
  const anew = new Map(again.map((raw) => [positionOf(stream, raw), raw]));
  return records.map((raw) => (bad.has(textOf(stream, raw)) ? (anew.get(positionOf(stream, raw)) ?? raw) : raw));
}

/** A raw record as quarantine holds it. */
const textOf = ({ source }: RangeStream, raw: unknown) => jsonText(raw instanceof RawValue ? raw.parse(source) : raw);
