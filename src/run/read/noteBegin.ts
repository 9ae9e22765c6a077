import { partitionKey } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import { wasDropped } from './lookBack.ts';
import type { LookContext, ReadContext } from './partitionContext.ts';

/**
 * Tells that rows begin above where the configuration has them begin, as once `from` was set to an earlier block: a sync reads on from its
 * checkpoint, and would be "up to date". Of a date or an age nothing is known without asking, and nothing is told.
 */
export async function noteBegin(stream: RangeStream, context: ReadContext, head: number): Promise<void> {
  const { partition, warehouse, brackets, note } = context;
  const { done, value: wanted } = stream.first(partition, head, brackets).next();
  if (!done || !note) return;
  const { id, position } = stream;
  // Nearly always it is there: the lowest one is looked for in the column from end to end.
  if ((await lowestHeld(stream, context, `"${position}" = ${wanted}`)) !== null) return;
  const known = `SELECT 1 FROM firn.gap WHERE stream = $1 AND "partition" = $2 AND ${wanted} BETWEEN from_position AND to_position
    UNION ALL SELECT 1 FROM firn.quarantine WHERE stream = $1 AND "partition" = $2 AND "position" = ${wanted}`;
  if ((await warehouse.query(known, [id, partitionKey(partition)])).length > 0) return;
  const held = await lowestHeld(stream, context);
  if (held === null || held <= wanted || (await wasDropped(warehouse, stream))) return;
  note(
    `It begins at ${position} ${held}, and is to begin at ${wanted} (from): "firn backfill ${id} --from ${wanted}" reads what lies below.`,
  );
}

/** The lowest position of a partition that is held. @param where condition on its rows */
export async function lowestHeld(
  { position, table }: RangeStream,
  { partition: { values }, warehouse }: Pick<LookContext, 'partition' | 'warehouse'>,
  where = 'true',
): Promise<bigint | null> {
  const sql = `SELECT min("${position}") AS lowest FROM ${table.name} WHERE ${hasValues(values)} AND ${where}`;
  return (await warehouse.query<{ lowest: bigint | null }>(sql, values))[0]?.lowest ?? null;
}
