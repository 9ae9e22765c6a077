import { FirnError } from '../../core/firnError.ts';
import { unconfirmed } from '../../load/commit.ts';
import type { Ledger, Note, PublishedVersion, StagedBatch } from '../contract.ts';
import { alone } from './alone.ts';
import { commitBatch } from './commitBatch.ts';
import { lease, leaseWhole, release, renew } from './leases.ts';
import type { Control } from './openControl.ts';
import { divide, divideBelow, endBeside, enlist } from './parts.ts';

/** The ledger in an open control database. */
export async function openLedger(control: Control): Promise<Ledger> {
  const [warehouse] = await control.query<{ id: string }>('SELECT id FROM firn.warehouse');
  if (!warehouse) throw new FirnError('failed', 'The control database has lost its row in firn.warehouse: restore it.');
  return {
    warehouse: warehouse.id,
    enlist: (partitions) => enlist(control, partitions),
    divide: (held, positions) => divide(control, held, positions),
    divideBelow: (held, positions) => divideBelow(control, held, positions),
    endBeside: (held, own) => endBeside(control, held, own),
    async standsAt({ stream, partition }) {
      const [row] = await control.query<{ joined_to: string | null; tip: { readonly row: Note } | null }>(
        'SELECT joined_to, tip FROM firn.partition WHERE stream = $1 AND partition = $2',
        [stream, partition],
      );
      return { cursor: row?.joined_to ? { next: Number(row.joined_to) } : null, tip: row?.tip?.row ?? null };
    },
    async readUntil({ stream, partition }) {
      const [row] = await control.query<{ until: string | null }>(
        `SELECT to_char(max(at), 'YYYY-MM-DD HH24:MI') AS until FROM (
           SELECT committed_at AS at FROM firn.load WHERE stream = $1 AND partition = $2 AND (rows_written > 0 OR position_to IS NOT NULL)
           UNION ALL SELECT read_at AT TIME ZONE 'UTC' FROM firn.part WHERE stream = $1 AND partition = $2
         ) AS told`,
        [stream, partition],
      );
      return row?.until ?? null;
    },
    async wasRead({ stream, partition }) {
      const loads = await control.query('SELECT 1 FROM firn.load WHERE stream = $1 AND partition = $2 LIMIT 1', [
        stream,
        partition,
      ]);
      return loads.length > 0;
    },
    async loadsOf({ stream, partition }, ids) {
      const rows = await control.query<{ id: string }>(
        'SELECT load_id AS id FROM firn.load WHERE stream = $1 AND partition = $2 AND load_id = ANY($3::bigint[])',
        [stream, partition, ids],
      );
      return rows.map(({ id }) => Number(id));
    },
    lease: (filter) => lease(control, filter),
    leaseWhole: (of) => leaseWhole(control, of),
    renew: (held, ms) => renew(control, held, ms),
    release: (held, options) => release(control, held, options),
    waiting: ({ stream, partition }) =>
      control.query(
        `SELECT id, load_id, number, stream, partition, reason, record, record_hash, record_key, times_seen, quarantined_at::text, last_seen_at::text,
           last_load_id, accepted_at::text, accepted_because
         FROM firn.quarantine WHERE stream = $1 AND partition = $2 AND replayed_at IS NULL ORDER BY id`,
        [stream, partition],
      ),
    async newestLoad({ stream, partition }) {
      const [row] = await control.query<{ id: string | null }>(
        'SELECT max(load_id) AS id FROM firn.load WHERE stream = $1 AND partition = $2 AND position_to IS DISTINCT FROM position_from',
        [stream, partition],
      );
      return row?.id ? Number(row.id) : null;
    },
    lookedUp: ({ stream, partition }) =>
      control.query(
        `SELECT * FROM firn.lookup WHERE stream = $1 AND partition = $2 AND outcome = $3 UNION ALL
         (SELECT * FROM firn.lookup WHERE stream = $1 AND partition = $2 AND outcome = 'found' ORDER BY load_id DESC LIMIT 1)`,
        [stream, partition, unconfirmed],
      ),
    async unasked({ stream, partition }, keys) {
      const rows = await control.query<{ key: string }>(
        `SELECT key FROM unnest($3::text[]) WITH ORDINALITY AS wanted (key, place)
         WHERE NOT EXISTS (SELECT 1 FROM firn.lookup AS l WHERE l.stream = $1 AND l.partition = $2 AND l.key = wanted.key AND l.outcome <> $4)
         ORDER BY place`,
        [stream, partition, keys, unconfirmed],
      );
      return rows.map(({ key }) => key);
    },
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
    async pendingTables(due) {
      const rows = await control.query<{ name: string }>(
        `SELECT table_name AS name FROM firn.batch_file WHERE applied_at IS NULL GROUP BY table_name
         HAVING sum(bytes) >= $1 OR min(committed_at) <= clock_timestamp() - $2 * interval '1 millisecond' ORDER BY name`,
        [due?.bytes ?? 0, due?.ms ?? 0],
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
    alone: (name, work, ms) => alone(control, name, work, ms),
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
