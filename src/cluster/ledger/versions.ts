import type { PublishedVersion } from '../contract.ts';
import type { Sql } from './openControl.ts';

type VersionRow = { id: string; snapshots: Record<string, string>; published_at: string };

const columns = `id, snapshots, to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS published_at`;

/** See `Ledger`, as for the other. */
export async function publish(sql: Sql, snapshots: PublishedVersion['snapshots']): Promise<PublishedVersion> {
  const [row] = await sql.query<VersionRow>(`INSERT INTO firn.version (snapshots) VALUES ($1) RETURNING ${columns}`, [
    JSON.stringify(snapshots),
  ]);
  return versionOf(row as VersionRow);
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
