import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { schemaFiles, sqlFolder, versionOf } from '../../load/packageFiles.ts';
import type { Control, Sql } from './control.ts';
import { isSetUp } from './isSetUp.ts';

/** Held by whoever migrates, since workers start at the same time. */
const lock = "hashtextextended('firn migrations', 0)";

/**
 * Applies the numbered files of `sql/cluster` that the control database has not seen, all in one transaction.
 *
 * @throws FirnError `newer_warehouse` when it has seen more than there is
 */
export async function migrateControl(control: Control): Promise<void> {
  const files = await schemaFiles('cluster');
  if ((await seenBy(control, files)) === versionOf(files.at(-1))) return;
  await control.transaction(async (sql) => {
    await sql.query(`SELECT pg_advisory_xact_lock(${lock})`);
    const seen = await seenBy(sql, files);
    if (seen === 0) {
      await sql.query('CREATE SCHEMA IF NOT EXISTS firn');
      await sql.query(
        'CREATE TABLE firn.migration (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
      );
    }
    for (const name of files.filter((file) => versionOf(file) > seen)) {
      await sql.query(await readFile(join(sqlFolder('cluster'), name), 'utf8'));
      await sql.query('INSERT INTO firn.migration (version, name) VALUES ($1, $2)', [versionOf(name), name]);
    }
  });
}

/** Makes sure that a control database has seen no more files than there are. @throws FirnError `newer_warehouse` */
export async function assertKnown(control: Sql): Promise<void> {
  await seenBy(control, await schemaFiles('cluster'));
}

/** The newest file that a control database has seen. */
async function seenBy(sql: Sql, files: readonly string[]): Promise<number> {
  if (!(await isSetUp(sql))) return 0;
  const [row] = await sql.query<{ version: number }>(
    'SELECT coalesce(max(version), 0)::integer AS version FROM firn.migration',
  );
  const [seen, newest] = [row?.version ?? 0, versionOf(files.at(-1))];
  if (seen <= newest) return seen;
  throw new FirnError(
    'newer_warehouse',
    `The control database has schema version ${seen}, this firn knows ${newest}. Upgrade firn on this machine; nothing was changed.`,
  );
}
