import type { PublishedVersion } from '../contract.ts';
import type { Sql } from './control.ts';
import { isoTime } from './isoTime.ts';

const columns = `id::integer AS id, snapshots, ${isoTime(`published_at AT TIME ZONE 'UTC'`)} AS "publishedAt"`;

/** Versions that stay: of older ones maintenance has forgotten the snapshots, and each names those of every table. */
const keptVersions = 100;

/** See `Ledger`, as for the other. */
export async function publish(sql: Sql, snapshots: PublishedVersion['snapshots']): Promise<PublishedVersion> {
  const [row] = await sql.query<PublishedVersion>(
    `INSERT INTO firn.version (snapshots) VALUES ($1) RETURNING ${columns}`,
    [JSON.stringify(snapshots)],
  );
  const published = row as PublishedVersion;
  await sql.query('DELETE FROM firn.version WHERE id <= $1', [published.id - keptVersions]);
  return published;
}

export async function version(sql: Sql): Promise<PublishedVersion | undefined> {
  const [newest] = await sql.query<PublishedVersion>(`SELECT ${columns} FROM firn.version ORDER BY id DESC LIMIT 1`);
  return newest;
}
