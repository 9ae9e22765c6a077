import type { PublishedVersion } from '../contract.ts';
import type { Sql } from './openControl.ts';

type VersionRow = { id: string; snapshots: Record<string, string>; published_at: string };

const columns = `id, snapshots, to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS published_at`;

/** Versions that stay: of older ones maintenance has forgotten the snapshots, and each names those of every table. */
const keptVersions = 100;

/** See `Ledger`, as for the other. */
export async function publish(sql: Sql, snapshots: PublishedVersion['snapshots']): Promise<PublishedVersion> {
  const [row] = await sql.query<VersionRow>(`INSERT INTO firn.version (snapshots) VALUES ($1) RETURNING ${columns}`, [
    JSON.stringify(snapshots),
  ]);
  const published = versionOf(row as VersionRow);
  await sql.query('DELETE FROM firn.version WHERE id <= $1', [published.id - keptVersions]);
  return published;
}

export async function version(sql: Sql): Promise<PublishedVersion | undefined> {
  const [row] = await sql.query<VersionRow>(`SELECT ${columns} FROM firn.version ORDER BY id DESC LIMIT 1`);
  return row && versionOf(row);
}

const versionOf = ({ id, snapshots, published_at }: VersionRow): PublishedVersion => ({
  id: Number(id),
  snapshots,
  publishedAt: published_at,
});
