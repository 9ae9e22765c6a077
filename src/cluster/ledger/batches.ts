import type { StagedBatch } from '../contract.ts';
import type { Sql } from './openControl.ts';

/** See `Ledger`, as for the others here. */
export async function nextBatch(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ id: string }>(`SELECT nextval('firn.batch_id') AS id`);
  return Number(row?.id);
}

export async function pending(sql: Sql, table: string, limit: number): Promise<StagedBatch[]> {
  const batches = await sql.query<Record<'id' | 'uri' | 'rows' | 'bytes' | 'sha256', string>>(
    `SELECT batch_id AS id, uri, rows, bytes, sha256 FROM firn.batch_file
     WHERE table_name = $1 AND applied_at IS NULL ORDER BY batch_id LIMIT $2`,
    [table, limit],
  );
  return batches.map(({ id, uri, rows, bytes, sha256 }) => ({
    id: Number(id),
    table,
    uri,
    rows: Number(rows),
    bytes: Number(bytes),
    sha256,
  }));
}

export async function pendingTables(
  sql: Sql,
  due: { readonly bytes: number; readonly ms: number } = { bytes: 0, ms: 0 },
): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `SELECT table_name AS name FROM firn.batch_file WHERE applied_at IS NULL GROUP BY table_name
     HAVING sum(bytes) >= $1 OR min(committed_at) <= clock_timestamp() - $2 * interval '1 millisecond' ORDER BY name`,
    [due.bytes, due.ms],
  );
  return rows.map(({ name }) => name);
}

export async function applied(sql: Sql, table: string, ids: readonly number[]): Promise<void> {
  await sql.query(
    `UPDATE firn.batch_file SET applied_at = clock_timestamp()
     WHERE table_name = $1 AND batch_id = ANY($2::bigint[]) AND applied_at IS NULL`,
    [table, ids],
  );
}
