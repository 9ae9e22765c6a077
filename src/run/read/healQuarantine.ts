import { numberIn, rawOf } from '../../core/answerParts.ts';
import { parseLossless } from '../../core/parseLossless.ts';
import { type Position, partitionKey, type RangeStream } from '../../core/stream.ts';
import { commitBatch } from '../../load/commit.ts';
import { createBatchBuilder } from './batchBuilder.ts';
import { measured } from './measured.ts';
import { orNothing } from './orNothing.ts';
import type { ReadContext } from './partitionContext.ts';
import { createRangeReader } from './rangeReader.ts';

/** Records asked for again in one run: records that no version can read must not cost a request each forever. */
const mostAtOnce = 100;

/**
 * Asks again for the records of a partition that are in quarantine: a byte that was flipped on the way, or an answer of a
 * node that was wrong for a while, is right now. What is readable enters its tables; the rest stays where it is, and what
 * somebody accepted is not asked for.
 */
export async function healQuarantine(stream: RangeStream, context: ReadContext, saved: Position | null): Promise<void> {
  const { warehouse, partition, runId } = context;
  const held = await warehouse.query<{ id: bigint; record: string }>(
    `SELECT id, record FROM firn.quarantine
     WHERE stream = $1 AND "partition" = $2 AND replayed_at IS NULL AND accepted_at IS NULL ORDER BY id LIMIT ${mostAtOnce}`,
    [stream.id, partitionKey(partition)],
  );
  for (const { id, record } of held) {
    const raw = parseLossless(record, { numbers: stream.source.numbers });
    const position = numberIn(rawOf(raw)[stream.position]);
    if (!Number.isSafeInteger(position)) continue;
    const { fetch, last } = measured(context.fetch);
    const reader = createRangeReader(stream, context, fetch, { from: position, to: position });
    const { page } = (await orNothing(reader.ask())) ?? {};
    if (page?.set.own.length !== 1 || page.quarantined.length > 0) continue;
    const builder = createBatchBuilder();
    builder.add(page, 1, last());
    if (stream.enrichment) await context.enrich(stream.enrichment, page);
    const batch = { ...builder.build(), replayed: [id] };
    const { rows, childRows } = await commitBatch(warehouse, {
      stream,
      partition,
      runId,
      batch,
      from: saved,
      to: saved,
      requests: context.takeRequests(),
    });
    context.committed({ rows, childRows, quarantined: 0, bytes: batch.bytes });
  }
}
