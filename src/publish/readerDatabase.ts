import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { syncFile, syncFolder } from './durable.ts';
import type { Manifest } from './manifest.ts';
import { type CatalogueTable, publishedSchemas, publishedTables } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { readerType, readerViewSql } from './readerViewSql.ts';
import { identifier, literal, qualified } from './sqlText.ts';
import { parquetColumns } from './typeProfile.ts';

/** The oldest storage format of the 1.x line: every DuckDB client since 1.0 opens it. */
const storageVersion = 'v1.0.0';

export const readerFile = (folder: string): string => join(folder, 'analytics.duckdb');
const stagedFile = (folder: string) => join(folder, '.state', 'analytics.duckdb.new');

/** Where the small tables come from. */
export interface SmallTables {
  readonly source: Pick<PublishSource, 'run' | 'query'>;
  /** Catalogue that holds the `firn` schema: the state database, or an older reader database. */
  readonly catalogue: string;
}

/**
 * Builds the reader database of a version beside the one in use: views over its files, the views and macros of the models,
 * and copies of the small tables.
 *
 * @param root absolute path of the warehouse as readers see it
 * @returns the file, synced and read-only, still under its staging name
 */
export async function buildReaderDatabase(
  folder: string,
  manifest: Manifest,
  root: string,
  small: SmallTables,
): Promise<string> {
  const path = stagedFile(folder);
  for (const leftover of [path, `${path}.wal`]) await rm(leftover, { force: true });
  await copySmallTables(path, small);
  await createViews(path, manifest, root);
  await rm(`${path}.wal`, { force: true });
  await syncFile(path);
  await chmod(path, 0o444);
  return path;
}

/** Puts a built reader database in the place of the one in use. Who has the old one open keeps it. */
export async function swapReaderDatabase(folder: string, built: string): Promise<void> {
  const path = readerFile(folder);
  // A write-ahead log that some tool left beside the old version would replay into the new one.
  await rm(`${path}.wal`, { force: true });
  await rename(built, path);
  await syncFolder(folder);
}

async function copySmallTables(path: string, { source, catalogue }: SmallTables): Promise<void> {
  const tables = (await publishedTables(source, literal(catalogue))).filter(
    ({ schema, viewSql }) => schema === 'firn' && viewSql === undefined,
  );
  await source.run(`ATTACH ${literal(path)} AS firn_reader (STORAGE_VERSION ${literal(storageVersion)})`);
  try {
    for (const schema of publishedSchemas) await source.run(`CREATE SCHEMA IF NOT EXISTS firn_reader.${schema}`);
    for (const table of tables) await source.run(copyTable(table, catalogue));
  } finally {
    await source.run('DETACH firn_reader');
  }
}

function copyTable(table: CatalogueTable, catalogue: string): string {
  const target = `firn_reader.${qualified(table)}`;
  const columns = parquetColumns(table)
    .filter(({ extra }) => !extra)
    .map(({ name, expression }) => `${expression} AS ${identifier(name)}`);
  return [
    `CREATE TABLE ${target} AS SELECT ${columns.join(', ')} FROM ${identifier(catalogue)}.${qualified(table)}`,
    ...comments('TABLE', target, table.comment, table.columns),
  ].join(';\n');
}

/**
 * Makes the views. DuckDB binds a view when it is made; that needs neither the files (which only readers may see under `root`)
 * nor the time to open them: empty tables stand in for the published ones while the models' views are made, and a macro of
 * the same name for `read_parquet` while the tables' own are.
 */
async function createViews(path: string, manifest: Manifest, root: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '512MB' });
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH ${literal(path)} AS analytics; USE analytics`);
    for (const { sql } of manifest.macros) await connection.run(sql);
    for (const table of manifest.tables) {
      await connection.run(
        `CREATE TABLE ${qualified(table)} AS ${emptySelect(table.columns, ({ type, parquet_type }) => readerType(type, parquet_type))}`,
      );
    }
    await inOrder(manifest.views, async (view) => {
      await connection.run([view.sql, ...comments('VIEW', qualified(view), view.comment, view.columns)].join(';\n'));
    });
    for (const table of manifest.tables) {
      const inFiles = emptySelect(table.columns, ({ parquet_type }) => parquet_type);
      await connection.run(
        [
          `DROP TABLE ${qualified(table)}`,
          `CREATE OR REPLACE TEMP MACRO read_parquet(files, hive_partitioning := true, hive_types := NULL) AS TABLE ${inFiles}`,
          readerViewSql(table, `${root}/lake`),
          ...comments('VIEW', qualified(table), table.comment, table.columns),
        ].join(';\n'),
      );
    }
    await connection.run(publishedVersion(manifest, root));
    await connection.run('USE memory; DETACH analytics');
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

type Columns = Manifest['tables'][number]['columns'];

const emptySelect = (columns: Columns, typeOf: (column: Columns[number]) => string) =>
  `SELECT ${columns.map((column) => `CAST(NULL AS ${typeOf(column)}) AS ${identifier(column.name)}`).join(', ')} WHERE false`;

const publishedVersion = ({ version, run_id, published_at, tables }: Manifest, root: string) => `
  CREATE TABLE firn.published (
    "version" BIGINT, run_id VARCHAR, published_at TIMESTAMP, root VARCHAR, files BIGINT, "rows" BIGINT, bytes BIGINT
  );
  COMMENT ON TABLE firn.published IS 'The version that this reader database shows, and the path its views read from.';
  INSERT INTO firn.published VALUES (${version}, ${literal(run_id)}, ${literal(published_at.replace('Z', ''))}, ${literal(root)},
    ${tables.reduce((sum, { files }) => sum + files.length, 0)}, ${tables.reduce((sum, { rows }) => sum + rows, 0)},
    ${tables.reduce((sum, { files }) => files.reduce((bytes, file) => bytes + file.bytes, sum), 0)})`;

/** Views name each other in any order: go round until all are made, or none can be. */
async function inOrder<T>(items: readonly T[], make: (item: T) => Promise<void>): Promise<void> {
  let waiting = items;
  while (waiting.length > 0) {
    const failed: T[] = [];
    let reason: unknown;
    for (const item of waiting) {
      try {
        await make(item);
      } catch (error) {
        failed.push(item);
        reason = error;
      }
    }
    if (failed.length === waiting.length) throw reason;
    waiting = failed;
  }
}

function comments(
  kind: 'TABLE' | 'VIEW',
  target: string,
  comment: string | null,
  columns: readonly { name: string; comment: string | null }[],
): string[] {
  return [
    ...(comment === null ? [] : [`COMMENT ON ${kind} ${target} IS ${literal(comment)}`]),
    ...columns.flatMap((column) =>
      column.comment === null
        ? []
        : [`COMMENT ON COLUMN ${target}.${identifier(column.name)} IS ${literal(column.comment)}`],
    ),
  ];
}
