import type { Ledger, StagedBatch } from '../contract.ts';
import type { Sql } from './control.ts';

/** See `Ledger`, as for the others here. */
export async function nextBatch(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ id: string }>(`SELECT nextval('firn.batch_id') AS id`);
  return Number(row?.id);
}

export async function pending(sql: Sql, table: string, limit: number): Promise<StagedBatch[]> {
  const batches = await sql.query<StagedBatch & { readonly names: string | null }>(
    `SELECT ${batchColumns}, names FROM firn.batch_file AS f LEFT JOIN firn.file_columns ON hash = columns_hash
     WHERE table_name = $1 AND applied_at IS NULL ORDER BY batch_id LIMIT $2`,
    [table, limit],
  );
  return batches.map(({ names, ...batch }) => ({ ...batch, ...(names && { columns: JSON.parse(names) as string[] }) }));
}

export async function newestPending(
  sql: Sql,
  { table, stream, partitions }: Parameters<Ledger['newestPending']>[0],
): Promise<StagedBatch | undefined> {
  const [newest] = await sql.query<StagedBatch>(
    `SELECT ${batchColumns} FROM firn.batch_file AS f JOIN firn.load ON load_id = batch_id
     WHERE table_name = $1 AND applied_at IS NULL AND stream = $2 AND partition = ANY($3::text[]) ORDER BY batch_id DESC LIMIT 1`,
    [table, stream, partitions],
  );
  return newest;
}

const batchColumns = `batch_id::float8 AS id, table_name AS "table", uri, rows::float8, f.bytes::float8, sha256`;

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
