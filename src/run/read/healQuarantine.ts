import type { Row } from '../../core/columnType.ts';
import { brokenLinks, isLinkBroken, missingPositions } from '../../core/paging/rangeGaps.ts';
import { RawValue } from '../../core/reader/rawValue.ts';
import { type Position, partitionKey, type RangeStream } from '../../core/stream.ts';
import { commitBatch } from '../../load/commit.ts';
import { createBatchBuilder } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { createRangeReader, measured, orUndefined } from './takeRange.ts';

/** Records asked for again in one run: records that no version can read must not cost ever more requests. Others each time, so that all have their turn. */
const mostAtOnce = 100;

/**
 * Asks again for the records of a partition that are in quarantine: a byte that was flipped on the way, or an answer of a
 * node that was wrong for a while, may have become right. What is readable enters its tables; the rest stays where it is, and what
 * somebody accepted is not asked for.
 *
 * @param begun the checkpoint
 * @param behind gives the checkpoint behind a record that left the quarantine
 * @param rowsAt gives the rows at positions, where the warehouse does not hold them
 * @returns how many records left the quarantine, and the checkpoint behind them
 */
export async function healQuarantine<At extends Position>(
  stream: RangeStream,
  context: ReadContext,
  begun: At | null,
  behind: (saved: At | null, position: number) => At | null = (saved) => saved,
  rowsAt: RowsAt = rowsInWarehouse,
): Promise<{ readonly healed: number; readonly saved: At | null }> {
  const { warehouse, partition, runId } = context;
  let saved = begun;
  const held = await warehouse.query<{ id: bigint; record: string }>(
    `SELECT id, record FROM (
       FROM firn.quarantine WHERE stream = $1 AND "partition" = $2 AND replayed_at IS NULL AND accepted_at IS NULL
       ORDER BY hash(id, $3) LIMIT ${mostAtOnce}
     ) ORDER BY id`,
    [stream.id, partitionKey(partition), runId],
  );
  let healed = 0;
  for (const { id, record } of held) {
    const position = new RawValue(Buffer.from(record)).number(stream.position);
    if (!Number.isSafeInteger(position)) continue;
    const { page, from } = (await readLinked(stream, context, position, rowsAt)) ?? {};
    if (!page || !from) continue;
    const builder = createBatchBuilder();
    builder.add(page, page.set.own.length, from);
    if (stream.enrichment) await context.enrich(stream.enrichment, page);
    const batch = { ...builder.build(), replayed: [id] };
    const to = behind(saved, position);
    const { rows, childRows } = await commitBatch(warehouse, {
      stream,
      partition,
      runId,
      batch,
      from: saved,
      to,
      requests: context.takeRequests(),
    });
    saved = to;
    context.committed({ rows, childRows, quarantined: 0, bytes: batch.bytes });
    healed++;
  }
  return { healed, saved };
}

/**
 * Asks for a position, and for the one behind it where that does not follow: it came beside the record that could not be read, when
 * nothing could tell that it is another chain's.
 *
 * @returns nothing where it still cannot be read, or does not fit between its neighbours
 */
async function readLinked(stream: RangeStream, context: ReadContext, position: number, rowsAt: RowsAt) {
  for (const to of [position, position + 1]) {
    const { fetch, last } = measured(context.fetch);
    const reader = createRangeReader(stream, context, fetch, { from: position, to });
    const { records = [], page } = (await orUndefined(reader.ask().then(reader.agreed))) ?? {};
    if (!page || page.quarantined.length > 0) return undefined;
    // Another one than was asked for is not beside its neighbours, and has no broken link.
    if (missingPositions(stream, { from: position, to }, records).length > 0) return undefined;
    // Asked for with care, too, its parts may be of several blocks.
    if (stream.agree?.(page.set, context.state) === false) return undefined;
    const { own } = page.set;
    const beside = [position - 1, to + 1];
    const rows = await rowsAt(stream, context, beside);
    const [before, after] = beside.map((one) => rows.find((row) => Number(row[stream.position]) === one));
    if (brokenLinks(stream, before, own).length > 0) return undefined;
    if (!after || !isLinkBroken(stream, own.last() as Row, after)) return { page, from: last() };
  }
  return undefined;
}

/** Gives the rows at positions of a partition, as far as there are any. */
export type RowsAt = (stream: RangeStream, context: ReadContext, at: readonly number[]) => Promise<readonly Row[]>;

const rowsInWarehouse: RowsAt = ({ table, position }, { warehouse, partition }, at) => {
  const values = Object.entries(partition.values);
  const where = values.map(([name], i) => `AND "${name}" = $${i + 1}`).join(' ');
  return warehouse.query<Row>(
    `SELECT * FROM ${table.name} WHERE "${position}" IN (${at.join(', ')}) ${where}`,
    values.map(([, value]) => value),
  );
};
