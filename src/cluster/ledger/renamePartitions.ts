import type { Partition } from '../../core/stream/partition.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { literal } from '../../core/text/sqlText.ts';
import { renamedPartitions } from '../../load/adopt/renamedPartitions.ts';
import type { Control, Sql } from './control.ts';
import { nextEpoch } from './leases.ts';

/**
 * Lets a snapshot whose list of names or extras were changed go on where it was, as `adoptPartitions` does on one machine. Whoever reads the old list
 * loses it.
 *
 * @param partitions all that are configured of the stream
 */
export async function renamePartitions(
  control: Control,
  { id }: Pick<Stream, 'id'>,
  partitions: readonly Partition[],
): Promise<void> {
  const read = await control.query<{ partition: string }>('SELECT partition FROM firn.partition WHERE stream = $1', [
    id,
  ]);
  const keys = read.map(({ partition }) => partition);
  for (const { before, after } of renamedPartitions(keys, partitions))
    await control.transaction((sql) => rename(sql, [id, before, after]));
}

async function rename(sql: Sql, of: readonly [stream: string, before: string, after: string]): Promise<void> {
  const isOf = 'stream = $1 AND partition = $2';
  const made = await sql.query(
    `INSERT INTO firn.partition SELECT (jsonb_populate_record(p, jsonb_build_object('partition', $3::text))).*
     FROM firn.partition AS p WHERE ${isOf} ON CONFLICT DO NOTHING RETURNING 1`,
    of,
  );
  // Another worker did it at the same moment.
  if (made.length === 0) return;
  await sql.query(
    `UPDATE firn.part SET partition = $3, epoch = ${nextEpoch('epoch')}, owner = NULL, lease_until = '-infinity', due_at = clock_timestamp() WHERE ${isOf}`,
    of,
  );
  for (const table of ['load', 'quarantine'])
    await sql.query(`UPDATE firn.${table} SET partition = $3 WHERE ${isOf}`, of);
  const [stream, before, after] = of.map(literal);
  await sql.query('INSERT INTO firn.lake_change (table_name, statement) VALUES ($1, $2)', [
    'firn.load',
    `UPDATE firn.load SET "partition" = ${after} WHERE stream = ${stream} AND "partition" = ${before}`,
  ]);
  await sql.query(`DELETE FROM firn.partition WHERE ${isOf}`, of.slice(0, 2));
}
