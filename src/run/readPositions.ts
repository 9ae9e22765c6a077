import { jsonText } from '../core/columns.ts';
import type { Row } from '../core/columnType.ts';
import { type ParsedPage, parseRecords } from '../core/parseRecords.ts';
import type { Position, RangeStream } from '../core/stream.ts';
import { createBatchBuilder } from './batchBuilder.ts';
import { createCommitter } from './committer.ts';
import { answer } from './fetch.ts';
import { type AnsweredRange, fetchAhead } from './fetchAhead.ts';
import type { ReadContext } from './partitionContext.ts';
import { brokenLinks, gapError, missingPositions } from './rangeGaps.ts';

export interface PositionsRead {
  /** The checkpoint that the read began from. */
  readonly saved: Position | null;
  readonly first: number;
  readonly last: number;
  /** The row before the first one, to which it must be linked. */
  readonly previous?: Row | undefined;
  /** Positions before the first that the source does not have, where it may lack some. */
  readonly missing?: { readonly from: number; readonly to: number } | undefined;
  /** What to make durable when everything before a position is committed. */
  durable(next: number): Position;
}

/** Reads the positions from `first` to `last`, both included; the signal ends it after the range under way. */
export async function readPositions(stream: RangeStream, context: ReadContext, read: PositionsRead): Promise<void> {
  const { first, last } = read;
  if (first > last) return;
  const committer = createCommitter(stream, context, read.saved);
  let { previous } = read;
  let builder = createBatchBuilder();
  let next = first;
  const passesOver = stream.mayHaveGaps?.(context.partition) ?? false;
  if (passesOver && read.missing) builder.noteGap(read.missing.from, read.missing.to);
  try {
    for await (const range of fetchAhead(stream, context, first, last)) {
      let page = await parseRange(stream, context, range);
      const gaps = [...missingPositions(stream, range), ...brokenLinks(stream, previous, page.rows)];
      const [hole] = passesOver ? [] : gaps.sort((a, b) => a.from - b.from);
      const records = hole ? range.records.slice(0, hole.from - range.from) : range.records;
      if (hole) page = parse(stream, context, records);
      else for (const { from, to } of gaps) builder.noteGap(from, to);
      builder.add(page, records.length, range);
      if (stream.enrichment) builder.waitFor(context.enrich(stream.enrichment, page));
      next = hole ? hole.from : range.to + 1;
      if (hole) throw gapError(stream, range, hole);
      previous = page.rows.at(-1) ?? previous;
      if (builder.isFull()) {
        await committer.commit(builder, read.durable(next));
        builder = createBatchBuilder();
      }
      context.progress(next - first, last - first + 1);
    }
  } finally {
    // What was read in order before an error or a signal is kept.
    if (!builder.isEmpty()) await committer.commit(builder, read.durable(next));
    await committer.finish();
  }
}

const parse = (stream: RangeStream, { partition, network }: ReadContext, records: readonly unknown[]) =>
  parseRecords(stream, partition, network, records);

/**
 * Parses a range. Records that cannot be read are asked for once more, since a byte may have been flipped on the way: only
 * what stays unreadable goes to quarantine.
 */
async function parseRange(stream: RangeStream, context: ReadContext, range: AnsweredRange): Promise<ParsedPage> {
  const page = parse(stream, context, range.records);
  if (page.quarantined.length === 0) return page;
  const bad = new Set(page.quarantined.map(({ record }) => record));
  const again = await answer(stream.read(context.partition, range.from, range.to), context.fetch).catch(() => []);
  const positionOf = (raw: unknown) => String((raw as Row)[stream.position]);
  const anew = new Map(again.map((raw) => [positionOf(raw), raw]));
  const records = range.records.map((raw) => (bad.has(jsonText(raw)) ? (anew.get(positionOf(raw)) ?? raw) : raw));
  return parse(stream, context, records);
}
