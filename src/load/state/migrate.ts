import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { FirnError } from '../../core/firnError.ts';
import { inTransaction } from '../database/inTransaction.ts';
import { queryOf } from '../database/transaction.ts';
import { schemaFiles, sqlFolder, versionOf } from '../packageFiles.ts';

/**
 * Applies the numbered files of `sql/schema` that the database has not seen, each in a transaction of its own; to a new
 * database all in one.
 *
 * @param before called with the version that the database has, before a database that is in use is changed; not again where a migration that was
 *   killed goes on
 * @param versions as `readVersions` read them, if it was asked already
 * @throws FirnError `newer_warehouse` when the database has seen more than there is
 */
export async function migrate(
  connection: DuckDBConnection,
  database: string,
  before?: (version: number) => Promise<void>,
  versions?: Versions,
): Promise<void> {
  const { applied, begun } = versions ?? (await readVersions(connection));
  const files = await schemaFiles('schema');
  const newest = versionOf(files.at(-1));
  if (applied > newest)
    throw new FirnError(
      'newer_warehouse',
      `${database} has schema version ${applied}, this firn knows ${newest}. Upgrade firn and run again; nothing was changed.`,
    );
  const isUpgrade = applied > 0 && applied < newest;
  if (isUpgrade && !begun) {
    await before?.(applied);
    await connection.run(`INSERT INTO main.firn_schema_version VALUES (0, 'begun', now()::TIMESTAMP)`);
  }
  const pending: string[] = [];
  for (const name of files) {
    const version = versionOf(name);
    if (version <= applied) continue;
    const sql = await readFile(join(sqlFolder('schema'), name), 'utf8');
    pending.push(`${sql}; INSERT INTO main.firn_schema_version VALUES (${version}, '${name}', now()::TIMESTAMP)`);
  }
  // In a new database they are one: a commit costs more than what it commits.
  const transactions = applied === 0 ? [pending.join(';\n')] : pending;
  if (isUpgrade || begun) transactions.push('DELETE FROM main.firn_schema_version WHERE "version" = 0');
  for (const statements of transactions) await inTransaction(connection, () => connection.run(statements));
}

/** What a database says of itself. */
export interface Versions {
  /** The newest that it has; 0 where it is new. */
  readonly applied: number;
  /** Whether an upgrade is under way. */
  readonly begun: boolean;
  /** The one that it was made with, or one that is older. */
  readonly first: number;
}

/** Reads the versions of a database. It was made when its lowest one was applied: the clock may have been set back before an upgrade. */
export async function readVersions(connection: DuckDBConnection): Promise<Versions> {
  const [{ applied, begun, first } = {}] = await queryOf(connection)(
    `CREATE TABLE IF NOT EXISTS main.firn_schema_version ("version" INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL);
     SELECT coalesce(max("version"), 0) AS applied, coalesce(bool_or("version" = 0), false) AS begun,
       coalesce(max("version") FILTER (WHERE applied_at = (SELECT arg_min(applied_at, "version") FROM main.firn_schema_version WHERE "version" > 0)), 0) AS "first"
     FROM main.firn_schema_version`,
  );
  return { applied: Number(applied), begun: begun === true, first: Number(first) };
}

/** The version that a database has once it is up to date. */
export const schemaVersion = async (): Promise<number> => versionOf((await schemaFiles('schema')).at(-1));
