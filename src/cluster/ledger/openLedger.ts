import { FirnError } from '../../core/firnError.ts';
import type { Ledger, PublishedVersion, StagedBatch } from '../contract.ts';
import { commitBatch } from './commitBatch.ts';
import { lease, release, renew } from './leases.ts';
import type { Control } from './openControl.ts';
import { divide, enlist } from './parts.ts';

/** The ledger in an open control database. */
export async function openLedger(control: Control): Promise<Ledger> {
  const [warehouse] = await control.query<{ id: string }>('SELECT id FROM firn.warehouse');
  if (!warehouse) throw new FirnError('failed', 'The control database has lost its row in firn.warehouse: restore it.');
  return {
    warehouse: warehouse.id,
    enlist: (partitions) => enlist(control, partitions),
    divide: (held, positions) => divide(control, held, positions),
    lease: (filter) => lease(control, filter),
    renew: (held, ms) => renew(control, held, ms),
    release: (held, options) => release(control, held, options),
    async nextBatch() {
      const [row] = await control.query<{ id: string }>(`SELECT nextval('firn.batch_id') AS id`);
      return Number(row?.id);
    },
    commit: (held, commit) => commitBatch(control, held, commit),
    async pending(table, limit) {
      const rows = await control.query<Record<'id' | 'uri' | 'rows' | 'bytes' | 'sha256', string>>(
        `SELECT batch_id AS id, uri, rows, bytes, sha256 FROM firn.batch_file
         WHERE table_name = $1 AND applied_at IS NULL ORDER BY batch_id LIMIT $2`,
        [table, limit],
      );
      return rows.map(
        ({ id, uri, rows: count, bytes, sha256 }): StagedBatch => ({
          id: Number(id),
          table,
          uri,
          rows: Number(count),
          bytes: Number(bytes),
          sha256,
        }),
      );
    },
    async pendingTables() {
      const rows = await control.query<{ name: string }>(
        'SELECT DISTINCT table_name AS name FROM firn.batch_file WHERE applied_at IS NULL ORDER BY name',
      );
      return rows.map(({ name }) => name);
    },
    async applied(table, ids) {
      await control.query(
        `UPDATE firn.batch_file SET applied_at = clock_timestamp()
         WHERE table_name = $1 AND batch_id = ANY($2::bigint[]) AND applied_at IS NULL`,
        [table, ids],
      );
    },
    alone: (name, work) =>
      control.transaction(async (sql) => {
        // The lock lasts as long as the transaction, and the work may take long.
        await sql.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        const [row] = await sql.query<{ free: boolean }>(
          `SELECT pg_try_advisory_xact_lock(hashtextextended('firn ' || $1, 0)) AS free`,
          [name],
        );
        return row?.free ? work() : undefined;
      }),
    async publish(snapshots) {
      const [row] = await control.query<VersionRow>(
        `INSERT INTO firn.version (snapshots) VALUES ($1) RETURNING ${versionColumns}`,
        [JSON.stringify(snapshots)],
      );
      return versionOf(row as VersionRow);
    },
    async version(id) {
      const [row] = await control.query<VersionRow>(
        `SELECT ${versionColumns} FROM firn.version WHERE $1::bigint IS NULL OR id = $1 ORDER BY id DESC LIMIT 1`,
        [id ?? null],
      );
      return row && versionOf(row);
    },
    close: () => control.close(),
  };
}

type VersionRow = { id: string; snapshots: Record<string, string>; published_at: string };

const versionColumns = `id, snapshots, to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS published_at`;

const versionOf = ({ id, snapshots, published_at }: VersionRow): PublishedVersion => ({
  id: Number(id),
  snapshots,
  publishedAt: published_at,
});
