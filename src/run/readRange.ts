import { jsonText } from '../core/columns.ts';
import type { Row } from '../core/columnType.ts';
import { FirnError } from '../core/firnError.ts';
import { type ParsedPage, parseRecords } from '../core/parseRecords.ts';
import { type Position, partitionKey, type RangeStream } from '../core/stream.ts';
import { readCheckpoint } from '../load/checkpoints.ts';
import { assertHolds } from './assertHolds.ts';
import { createBatchBuilder } from './batchBuilder.ts';
import { createCommitter } from './committer.ts';
import { answer } from './fetch.ts';
import { type AnsweredRange, fetchAhead } from './fetchAhead.ts';
import { healQuarantine } from './healQuarantine.ts';
import type { ReadContext } from './partitionContext.ts';
import { brokenLinks, gapError, missingPositions } from './rangeGaps.ts';

/** Checkpoint of a range stream: the next position to read. */
interface RangePosition extends Position {
  readonly next: number;
}

/**
 * Reads a stream by position from its checkpoint to the head: `ahead` ranges in flight, committed in order, the
 * checkpoint with every batch.
 *
 * @throws FirnError `contract` when a range has a hole or does not follow the one before: nothing behind it is committed
 * @throws FirnError `source_shrank` when the head lies below the checkpoint, or the source lost what was read last
 */
export async function readRange(stream: RangeStream, context: ReadContext): Promise<void> {
  const { partition, fetch, warehouse } = context;
  const saved = (await warehouse.exclusive(() =>
    readCheckpoint(warehouse, stream.id, partitionKey(partition)),
  )) as RangePosition | null;
  await healQuarantine(stream, context, saved);
  const head = await answer(stream.head(partition), fetch);
  if (head === null && saved === null) return;
  if (saved !== null && (head ?? -1) < saved.next - 1) throw shrunk(stream, context, head, saved);
  if (head === null || (saved !== null && saved.next > head)) return;
  let previous = saved === null ? undefined : await assertHolds(stream, context, saved.next - 1);
  const first = saved?.next ?? (await answer(stream.first(partition, head), fetch));
  const last = stream.last ? await answer(stream.last(partition, first, head), fetch) : head;
  if (first > last) return;
  const committer = createCommitter(stream, context, saved);
  let builder = createBatchBuilder();
  let next = first;
  const passesOver = stream.mayHaveGaps?.(partition) ?? false;
  if (passesOver && saved === null && first > 0) builder.noteGap(0, first - 1);
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
        await committer.commit(builder, { next });
        builder = createBatchBuilder();
      }
      context.progress(next - first, last - first + 1);
    }
  } finally {
    // What was read in order before an error or a signal is kept.
    if (!builder.isEmpty()) await committer.commit(builder, { next });
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

function shrunk(stream: RangeStream, context: ReadContext, head: number | null, saved: RangePosition): FirnError {
  return new FirnError(
    'source_shrank',
    `${stream.id} (${partitionKey(context.partition)}): the source ends at ${head ?? 'nothing'}, but ${saved.next - 1} was read from it before. ` +
      'Its index was wiped or another node answers. Nothing was changed: wait until the node has caught up, or begin a new warehouse.',
  );
}
