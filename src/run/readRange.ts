import { FirnError } from '../core/firnError.ts';
import { parseRecords } from '../core/parseRecords.ts';
import { type Position, partitionKey, type RangeStream } from '../core/stream.ts';
import { readCheckpoint } from '../load/checkpoints.ts';
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
 * @throws FirnError `source_shrank` when the head lies below the checkpoint
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
  const first = saved?.next ?? (await answer(stream.first(partition, head), fetch));
  const committer = createCommitter(stream, context, saved);
  let builder = createBatchBuilder();
  let next = first;
  try {
    for await (const range of fetchAhead(stream, context, first, head)) {
      assertConsecutive(stream, range);
      builder.add(parseRecords(stream, partition, context.network, range.records), range.records.length, range);
      next = range.to + 1;
      if (builder.isFull()) {
        await committer.commit(builder, { next });
        builder = createBatchBuilder();
      }
      context.progress(next - first, head - first + 1);
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
  head: number,
): AsyncGenerator<ReadRange> {
  const inFlight: Promise<ReadRange>[] = [];
  let start = first;
  const ask = (from: number): Promise<ReadRange> => {
    const to = Math.min(from + stream.size - 1, head);
    const { fetch, last } = measured(context.fetch);
    const range = answer(stream.read(context.partition, from, to), fetch).then((records) => ({
      from,
      to,
      records,
      ...last(),
    }));
    // An error is thrown when its turn comes; until then it must not count as unhandled.
    range.catch(() => {});
    return range;
  };
  while (start <= head || inFlight.length > 0) {
    while (start <= head && inFlight.length < stream.ahead && !context.signal.aborted) {
      inFlight.push(ask(start));
      start += stream.size;
    }
    const range = inFlight.shift();
    if (!range) return;
    yield await range;
  }
}

function assertConsecutive(stream: RangeStream, range: ReadRange): void {
  const wanted = range.to - range.from + 1;
  const found = range.records.map((record) => Number((record as Record<string, unknown>)[stream.position]));
  const hole = found.findIndex((position, i) => position !== range.from + i);
  if (hole < 0 && found.length === wanted) return;
  const missing = hole < 0 ? range.from + found.length : range.from + hole;
  throw new FirnError(
    'contract',
    `${stream.id}: the answer for ${range.from}..${range.to} has a hole at ${stream.position} ${missing}. ` +
      "What lies before it is kept; the next run asks again from there. If it stays, the node's index is incomplete.",
  );
}
