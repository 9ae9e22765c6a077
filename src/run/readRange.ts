import { FirnError } from '../core/firnError.ts';
import { parseRecords } from '../core/parseRecords.ts';
import { type Position, partitionKey, type RangeStream } from '../core/stream.ts';
import { readCheckpoint } from '../load/checkpoints.ts';
import { assertHolds } from './assertHolds.ts';
import { createBatchBuilder } from './batchBuilder.ts';
import { createCommitter } from './committer.ts';
import { answer } from './fetch.ts';
import { measured } from './measured.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';

/** Checkpoint of a range stream: the next position to read. */
interface RangePosition extends Position {
  readonly next: number;
}

/**
 * Reads a stream by position from its checkpoint to the head: `ahead` ranges in flight, committed in order, the
 * checkpoint with every batch.
 *
 * @throws FirnError `contract` when a range has a hole: nothing after it is committed, so that no row is lost
 * @throws FirnError `source_shrank` when the head lies below the checkpoint, or the source lost what was read last
 */
export async function readRange(stream: RangeStream, context: ReadContext): Promise<ReadResult> {
  const { partition, fetch, warehouse } = context;
  const saved = (await warehouse.exclusive(() =>
    readCheckpoint(warehouse, stream.id, partitionKey(partition)),
  )) as RangePosition | null;
  const head = await answer(stream.head(partition), fetch);
  const none = { rows: 0, quarantined: 0, bytes: 0 };
  if (head === null && saved === null) return none;
  if (saved !== null && (head ?? -1) < saved.next - 1) {
    throw new FirnError(
      'source_shrank',
      `${stream.id} (${partitionKey(partition)}): the source ends at ${head ?? 'nothing'}, but ${saved.next - 1} was read from it before. ` +
        'Its index was wiped or another node answers. Nothing was changed: wait until the node has caught up, or begin a new warehouse.',
    );
  }
  if (head === null || (saved !== null && saved.next > head)) return none;
  if (saved !== null) await assertHolds(stream, context, saved.next - 1);
  const first = saved?.next ?? (await answer(stream.first(partition, head), fetch));
  const last = stream.last ? await answer(stream.last(partition, first, head), fetch) : head;
  if (first > last) return none;
  const committer = createCommitter(stream, context, saved);
  let builder = createBatchBuilder();
  let next = first;
  const passesOver = stream.mayHaveGaps?.(partition) ?? false;
  if (passesOver && saved === null && first > 0) builder.noteGap(0, first - 1);
  try {
    for await (const range of fetchAhead(stream, context, first, last)) {
      const [gap, ...more] = gapsOf(stream, range);
      const hole = gap !== undefined && !passesOver;
      const records = hole ? range.records.slice(0, gap.from - range.from) : range.records;
      const page = parseRecords(stream, partition, context.network, records);
      builder.add(page, records.length, range);
      if (stream.enrichment) builder.waitFor(context.enrich(stream.enrichment, page));
      next = hole ? gap.from : range.to + 1;
      if (hole) throw holeError(stream, range, gap.from);
      for (const { from, to } of gap ? [gap, ...more] : []) builder.noteGap(from, to);
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
  return committer.finish();
}

interface ReadRange {
  readonly from: number;
  readonly to: number;
  readonly records: readonly unknown[];
  readonly request: Parameters<ReadContext['fetch']>[0];
  readonly bytes: number;
  readonly fetchedAt: number;
}

/** Ranges in order, with the next ones already asked for. Ends early when the signal is raised. */
async function* fetchAhead(
  stream: RangeStream,
  context: ReadContext,
  first: number,
  last: number,
): AsyncGenerator<ReadRange> {
  const inFlight: Promise<ReadRange>[] = [];
  let start = first;
  const ask = (from: number): Promise<ReadRange> => {
    const to = Math.min(from + stream.size - 1, last);
    const { fetch, last: lastAnswer } = measured(context.fetch);
    const range = answer(stream.read(context.partition, from, to), fetch).then((records) => ({
      from,
      to,
      records,
      ...lastAnswer(),
    }));
    // An error is thrown when its turn comes; until then it must not count as unhandled.
    range.catch(() => {});
    return range;
  };
  while (start <= last || inFlight.length > 0) {
    while (start <= last && inFlight.length < stream.ahead && !context.signal.aborted) {
      inFlight.push(ask(start));
      start += stream.size;
    }
    const range = inFlight.shift();
    if (!range) return;
    yield await range;
  }
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Positions of the range that its records leave out. A record out of order leaves out what should stand in its place. */
function gapsOf(stream: RangeStream, range: ReadRange): Gap[] {
  const gaps: Gap[] = [];
  let wanted = range.from;
  for (const record of range.records) {
    const position = Number((record as Record<string, unknown>)[stream.position]);
    if (position === wanted) {
      wanted++;
      continue;
    }
    if (!(position > wanted && position <= range.to)) return [...gaps, { from: wanted, to: range.to }];
    gaps.push({ from: wanted, to: position - 1 });
    wanted = position + 1;
  }
  if (wanted <= range.to) gaps.push({ from: wanted, to: range.to });
  return gaps;
}

function holeError(stream: RangeStream, range: ReadRange, missing: number): FirnError {
  return new FirnError(
    'contract',
    `${stream.id}: the answer for ${range.from}..${range.to} has a hole at ${stream.position} ${missing}. ` +
      "What lies before it is kept; the next run asks again from there. If it stays, the node's index is incomplete.",
  );
}
