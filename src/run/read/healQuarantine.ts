import { type Position, partitionKey } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { commitBeside } from './commitBeside.ts';
import { createBatchBuilder } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { type RowsAt, readLinked, rowsInWarehouse } from './readLinked.ts';

/** Records asked for again in one run: records that no version can read must not cost ever more requests. Others each time, so that all have their turn. */
const mostAtOnce = 100;

/**
 * Asks again for the records of a partition that are in quarantine: a byte that was flipped on the way, or an answer of a
 * node that was wrong for a while, may have become right. What is readable enters its tables; the rest stays where it is, and what
 * somebody accepted is not asked for.
 *
 * @param begun the checkpoint
 * @param behind gives the checkpoint behind a record that is to leave the quarantine
 * @param rowsAt gives the rows at positions, where the warehouse does not hold them
 * @returns how many records left the quarantine, and the checkpoint behind them
 */
export async function healQuarantine<At extends Position>(
  stream: RangeStream,
  context: ReadContext,
  begun: At | null,
  behind: (saved: At | null, position: number) => At | null | Promise<At | null>,
  rowsAt: RowsAt = rowsInWarehouse,
): Promise<{ readonly healed: number; readonly saved: At | null }> {
  const { warehouse, partition, runId } = context;
  let saved = begun;
  const held = await warehouse.query<{ id: bigint; at: bigint }>(
    `SELECT id, "position" AS "at" FROM (
       FROM firn.quarantine WHERE stream = $1 AND "partition" = $2 AND replayed_at IS NULL AND accepted_at IS NULL AND "position" IS NOT NULL
       ORDER BY hash(id, $3) LIMIT ${mostAtOnce}
     ) ORDER BY id`,
    [stream.id, partitionKey(partition), runId],
  );
  let healed = 0;
  for (const { id, at } of held) {
    const position = Number(at);
    const { page, from } = (await readLinked(stream, context, position, rowsAt)) ?? {};
    if (!page || !from) continue;
    const builder = createBatchBuilder();
    builder.add(page, page.set.own.length, from);
    if (stream.enrichment) await context.enrich(stream.enrichment, page);
    const batch = { ...builder.build(), replayed: [id] };
    const to = await behind(saved, position);
    await commitBeside(stream, context, batch, { from: saved, to });
    saved = to;
    healed++;
  }
  return { healed, saved };
}
