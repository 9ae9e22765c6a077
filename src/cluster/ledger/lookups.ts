import { unconfirmed } from '../../load/commit/batch.ts';
import type { Ledger, Note, PartitionName } from '../contract.ts';
import type { Sql } from './control.ts';
import { storable } from './storable.ts';

/** See `Ledger`, as for the other. */
export function lookedUp(sql: Sql, { stream, partition }: PartitionName): Promise<Note[]> {
  return sql.query(
    `SELECT * FROM firn.lookup WHERE stream = $1 AND partition = $2 AND outcome = $3 UNION ALL
     (SELECT * FROM firn.lookup WHERE stream = $1 AND partition = $2 AND outcome = 'found' ORDER BY load_id DESC LIMIT 1)`,
    [stream, partition, unconfirmed],
  );
}

export async function unasked(
  sql: Sql,
  { stream, partition }: PartitionName,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ key: string }>(
    `SELECT key FROM unnest($3::text[]) WITH ORDINALITY AS wanted (key, place)
     WHERE NOT EXISTS (SELECT 1 FROM firn.lookup AS l WHERE l.stream = $1 AND l.partition = $2 AND l.key = wanted.key AND l.outcome <> $4)
     ORDER BY place`,
    [stream, partition, keys.map(storable), unconfirmed],
  );
  return rows.map(({ key }) => key);
}

export function foundElsewhere(
  sql: Sql,
  { stream, partition }: PartitionName,
  keys: readonly string[],
): Promise<Note[]> {
  return sql.query(
    `SELECT * FROM firn.lookup WHERE stream = $1 AND key = ANY($3) AND outcome = 'found'
       AND NOT EXISTS (SELECT 1 FROM firn.lookup WHERE stream = $1 AND partition = $2 AND outcome = 'found')`,
    [stream, partition, keys.map(storable)],
  );
}

export async function toAskAgain(
  sql: Sql,
  { stream, partition }: PartitionName,
  keys: readonly string[],
  { most, runs, ms }: Parameters<Ledger['toAskAgain']>[2],
): Promise<{ key: string; asked: string | null }[]> {
  return sql.query(
    `SELECT wanted.key, l.outcome AS asked FROM unnest($3::text[]) AS wanted (key)
     LEFT JOIN firn.lookup AS l ON l.stream = $1 AND l.partition = $2 AND l.key = wanted.key
     WHERE coalesce(l.outcome::integer, 0) < $4 AND NOT EXISTS (
       SELECT 1 FROM firn.lookup AS a JOIN firn.load AS o ON o.load_id = a.load_id
       WHERE a.stream = $1 AND a.partition = $2 AND o.committed_at >= clock_timestamp() AT TIME ZONE 'UTC' - $5 * interval '1 millisecond'
     ) ORDER BY random() LIMIT $6`,
    [stream, partition, keys, runs, ms, most],
  );
}
