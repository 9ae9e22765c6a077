import { positionText } from '../../load/commit/checkpoints.ts';
import type { Lease, LedgerCommit } from '../contract.ts';
import type { Control, Sql } from './control.ts';
import { insert } from './insert.ts';
import { insertFiles } from './insertFiles.ts';
import { mayGoOn } from './leases.ts';

/** Commits a batch: its files, the notes of its load, and the cursor, if lease and cursor are what the worker believes. */
export function commitBatch(control: Control, lease: Lease, commit: LedgerCommit): Promise<'ok' | 'fenced'> {
  return control.transaction(async (sql) => {
    const [part] = await sql.query<{ cursor: string | null; now: string }>(
      `SELECT cursor, (clock_timestamp() AT TIME ZONE 'UTC')::text AS now FROM firn.part WHERE id = $1 AND epoch = $2 AND ${mayGoOn} FOR UPDATE`,
      [lease.part, lease.epoch],
    );
    if (!part || part.cursor !== positionText(commit.from)) return 'fenced';
    const { notes, ends } = commit;
    await insertFiles(
      sql,
      commit.files.map((file) => ({ ...file, id: commit.id })),
    );
    // Its clock is the one that counts.
    await insert(
      sql,
      'load',
      notes.load.map((load) => ({ ...load, committed_at: part.now })),
    );
    await noteGaps(sql, lease, commit);
    await insert(
      sql,
      'lookup',
      notes.lookup,
      'ON CONFLICT (stream, partition, key) DO UPDATE SET outcome = excluded.outcome, load_id = excluded.load_id',
    );
    if (commit.resolved?.length)
      await sql.query(
        `UPDATE firn.quarantine SET replayed_at = clock_timestamp() AT TIME ZONE 'UTC'
         WHERE stream = $1 AND partition = $2 AND replayed_at IS NULL AND md5(coalesce(record_key, record_hash)) IN (SELECT md5(k) FROM unnest($3::text[]) AS k)`,
        [lease.stream, lease.partition, commit.resolved],
      );
    await insert(
      sql,
      'schema_change',
      notes.schema_change.map((change) => ({ ...change, seen_at: part.now })),
      // Always in the same order, or two batches that meet the same new members could wait for each other.
      'ORDER BY stream, member ON CONFLICT (stream, member) DO NOTHING',
    );
    await insert(
      sql,
      'quarantine',
      notes.quarantine.map((entry) => ({ ...entry, quarantined_at: part.now, last_seen_at: part.now })),
      `ON CONFLICT (stream, partition, md5(coalesce(record_key, record_hash))) DO UPDATE SET reason = excluded.reason,
         record = excluded.record, record_hash = excluded.record_hash, times_seen = quarantine.times_seen + excluded.times_seen,
         last_seen_at = excluded.last_seen_at, last_load_id = excluded.last_load_id, replayed_at = NULL, position = excluded.position`,
    );
    const cursor = positionText(commit.to);
    // Of a position that was read and brought no row (it is in quarantine) the name is not known.
    await sql.query(
      `UPDATE firn.part SET cursor = $2, tip = coalesce($3, CASE WHEN $7 THEN tip || '{"id": null}' ELSE tip END),
         parent = CASE WHEN $4 THEN $5 ELSE parent END, memory = coalesce($6, memory) WHERE id = $1`,
      [
        lease.part,
        cursor,
        ends ? JSON.stringify({ id: ends.id, row: ends.tip }) : null,
        commit.from === null && ends !== undefined,
        ends?.parent ?? null,
        commit.memory ? JSON.stringify(commit.memory) : null,
        cursor !== part.cursor,
      ],
    );
    return 'ok';
  });
}

/** Notes what a batch found missing, once, and forgets what was noted so between its first and its last position: it says itself what is. */
async function noteGaps(
  sql: Sql,
  { stream, partition, range }: Lease,
  { from, to, notes }: LedgerCommit,
): Promise<void> {
  if (range && to)
    await sql.query(
      `WITH met AS (
         DELETE FROM firn.gap WHERE stream = $1 AND partition = $2 AND from_position <= $4 AND to_position >= $3 RETURNING *
       )
       INSERT INTO firn.gap (stream, partition, from_position, to_position, load_id)
       SELECT stream, partition, from_position, $3::bigint - 1, load_id FROM met WHERE from_position < $3
       UNION ALL SELECT stream, partition, $4::bigint + 1, to_position, load_id FROM met WHERE to_position > $4`,
      [stream, partition, from?.['next'] ?? range.first, Number(to['next']) - 1],
    );
  await insert(
    sql,
    'gap',
    notes.gap,
    `AS n WHERE NOT EXISTS (SELECT 1 FROM firn.gap AS g WHERE g.stream = n.stream AND g.partition = n.partition
       AND g.from_position = n.from_position AND g.to_position = n.to_position)`,
  );
}
