import { positionOf } from '../../load/commit/checkpoints.ts';
import type { Ledger, Note, PartitionName } from '../contract.ts';
import { partFrom } from './again.ts';
import type { Sql } from './control.ts';

/** See `Ledger`, as for the others here. */
export async function standsAt(sql: Sql, { stream, partition }: PartitionName): ReturnType<Ledger['standsAt']> {
  const [row] = await sql.query<{
    joined_to: string | null;
    part_from: string | null;
    tip: { readonly row: Note } | null;
    cursor: string | null;
  }>(
    `SELECT joined_to, p.tip, w.cursor, ${partFrom} AS part_from
     FROM firn.partition AS p
     LEFT JOIN firn.part AS w ON w.stream = p.stream AND w.partition = p.partition AND w.first_position IS NULL AND w.beside IS NULL
     WHERE p.stream = $1 AND p.partition = $2`,
    [stream, partition],
  );
  return {
    cursor: row?.joined_to ? { next: Number(row.joined_to) } : positionOf(row?.cursor),
    tip: row?.tip?.row ?? null,
    partFrom: row?.part_from ? Number(row.part_from) : null,
  };
}

/** All from `joined_to` on is handed out, or will be. */
export async function handedOut(sql: Sql, { stream, partition }: PartitionName): ReturnType<Ledger['handedOut']> {
  const [row] = await sql.query<{ lowest: string | null; open: string }>(
    `SELECT least(p.joined_to, (SELECT min(position) FROM firn.quarantine WHERE stream = $1 AND partition = $2)) AS lowest,
       (SELECT count(*) FROM firn.part WHERE stream = $1 AND partition = $2 AND first_position < p.joined_to) AS open
     FROM firn.partition AS p WHERE stream = $1 AND partition = $2`,
    [stream, partition],
  );
  return { lowest: row?.lowest ? Number(row.lowest) : null, open: Number(row?.open ?? 0) };
}

export async function readUntil(sql: Sql, { stream, partition }: PartitionName): Promise<string | null> {
  const [row] = await sql.query<{ until: string | null }>(
    `SELECT to_char(max(at), 'YYYY-MM-DD HH24:MI') AS until FROM (
       SELECT committed_at AS at FROM firn.load WHERE stream = $1 AND partition = $2 AND (rows_written > 0 OR position_to IS NOT NULL)
       UNION ALL SELECT read_at AT TIME ZONE 'UTC' FROM firn.part WHERE stream = $1 AND partition = $2
     ) AS told`,
    [stream, partition],
  );
  return row?.until ?? null;
}

export async function wasRead(sql: Sql, { stream, partition }: PartitionName): Promise<boolean> {
  const loads = await sql.query('SELECT 1 FROM firn.load WHERE stream = $1 AND partition = $2 LIMIT 1', [
    stream,
    partition,
  ]);
  return loads.length > 0;
}

export async function loadsOf(
  sql: Sql,
  { stream, partition }: PartitionName,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await sql.query<{ id: string }>(
    'SELECT load_id AS id FROM firn.load WHERE stream = $1 AND partition = $2 AND load_id = ANY($3::bigint[])',
    [stream, partition, ids],
  );
  return rows.map(({ id }) => Number(id));
}

export const knownMembers = (sql: Sql, { stream }: Pick<PartitionName, 'stream'>): ReturnType<Ledger['knownMembers']> =>
  sql.query(
    `SELECT stream, member, '' AS example, 0 AS load_id, seen_at::text FROM firn.schema_change WHERE stream = $1`,
    [stream],
  );

export const dropped = (sql: Sql, tables: readonly string[]): ReturnType<Ledger['dropped']> =>
  sql.query('SELECT "table", before::text, "rows", dropped_at::text FROM firn.dropped WHERE "table" = ANY($1)', [
    tables,
  ]);

export async function newestLoad(sql: Sql, { stream, partition }: PartitionName): Promise<number | null> {
  const [row] = await sql.query<{ id: string | null }>(
    'SELECT max(load_id) AS id FROM firn.load WHERE stream = $1 AND partition = $2 AND position_to IS DISTINCT FROM position_from',
    [stream, partition],
  );
  return row?.id ? Number(row.id) : null;
}

/** Columns of a record that waits, but for what it says. */
const waitingColumns = `id, load_id, number, stream, partition, reason, record_hash, record_key, times_seen, quarantined_at::text, last_seen_at::text,
  last_load_id, accepted_at::text, accepted_because, position`;
const isWaiting = 'stream = $1 AND partition = $2 AND replayed_at IS NULL';

export const waiting = (sql: Sql, { stream, partition }: PartitionName): ReturnType<Ledger['waiting']> =>
  sql.query(`SELECT ${waitingColumns}, '' AS record FROM firn.quarantine WHERE ${isWaiting} ORDER BY id`, [
    stream,
    partition,
  ]);

export async function records(sql: Sql, ids: readonly bigint[]): Promise<Map<bigint, string>> {
  const rows = await sql.query<{ id: string; record: string }>(
    'SELECT id, record FROM firn.quarantine WHERE id = ANY($1::bigint[])',
    [ids.map(String)],
  );
  return new Map(rows.map(({ id, record }) => [BigInt(id), record]));
}

/** Records that are replayed at once: as many as on one machine, and no more than so many bytes of them. */
const replayed = { records: 2000, bytes: 32e6 };

export const toReplay = (
  sql: Sql,
  { stream, partition }: PartitionName,
  after: number,
  { records, bytes } = replayed,
): ReturnType<Ledger['toReplay']> =>
  sql.query(
    `SELECT ${waitingColumns}, record FROM (
       SELECT *, sum(octet_length(record)) OVER (ORDER BY id) - octet_length(record) AS before
       FROM firn.quarantine WHERE ${isWaiting} AND id > $3 ORDER BY id LIMIT $4
     ) AS q WHERE before < $5 ORDER BY id`,
    [stream, partition, after, records, bytes],
  );
