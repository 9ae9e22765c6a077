import { chmod, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { FirnError } from '../core/firnError.ts';
import { identifier, literal, nameOf, qualified } from '../core/sqlText.ts';
import { renameDurably, syncFile } from '../disk/durable.ts';
import { sha256File } from '../disk/sha256File.ts';
import { openDuckDb } from '../load/openDuckDb.ts';
import type { Manifest } from './manifest.ts';
import {
  type CatalogueTable,
  type Definition,
  publishedMacros,
  publishedSchemas,
  publishedTables,
  viewsOf,
} from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import type { ReaderTarget } from './readerPaths.ts';
import { readerVersion } from './readerVersion.ts';
import { readerType, readerViewSql } from './readerViewSql.ts';
import { parquetColumns } from './typeProfile.ts';

/** The oldest storage format of the 1.x line: every DuckDB client since 1.0 opens it. */
const storageVersion = 'v1.0.0';

/** Where the small tables come from, and what the views and macros of a version are made by. */
export interface SmallTables {
  readonly source: Omit<PublishSource, 'folder'>;
  /** Catalogue that holds the `firn` schema: the state database, or an older reader database. */
  readonly catalogue: string;
  /** Relations that are held back: they come from the reader database before, where there is one that has them. */
  readonly held?: ReadonlySet<string>;
  readonly before?: string;
}

/** A reader database that is complete and waits beside the one in use. */
export interface BuiltReader {
  readonly target: ReaderTarget;
  readonly staged: string;
  readonly sha256: string;
}

/** Names under which reader databases are built, in the state folder. */
export const stagedReader = /^analytics\.duckdb\.new-/;

/**
 * Builds the reader database of a version beside the one in use: views over its files, the views and macros of the models,
 * and copies of the small tables. It is synced and read-only, still under its staging name.
 */
export async function buildReaderDatabase(
  folder: string,
  manifest: Manifest,
  target: ReaderTarget,
  small: SmallTables,
): Promise<BuiltReader> {
  const staged = join(folder, '.state', `analytics.duckdb.new-${process.pid}-${target.isSet ? 'set' : 'own'}`);
  await mkdir(dirname(staged), { recursive: true });
  for (const leftover of [staged, `${staged}.wal`]) await rm(leftover, { force: true });
  const kept = await copySmallTables(staged, small);
  const current = await definitionsOf(small.source, small.catalogue);
  const definitions = [...current.filter((item) => !small.held?.has(nameOf(item))), ...kept];
  await createViews(staged, manifest, target, definitions);
  await rm(`${staged}.wal`, { force: true });
  await syncFile(staged);
  await chmod(staged, 0o444);
  return { target, staged, sha256: await sha256File(staged) };
}

/** Puts a built reader database in the place of the one in use. Whoever has the old one open keeps it. */
export async function swapReaderDatabase({ target, staged }: BuiltReader): Promise<void> {
  // A write-ahead log that some tool left beside the old version would replay into the new one.
  await rm(`${target.file}.wal`, { force: true });
  await renameDurably(staged, target.file);
}

/** @returns the definitions that the reader database before has of what is held back */
async function copySmallTables(path: string, small: SmallTables): Promise<Definition[]> {
  const { source, catalogue, held = new Set() } = small;
  const fresh = (await smallTables(source, catalogue)).filter((table) => !held.has(nameOf(table)));
  await source.run(`ATTACH ${literal(path)} AS firn_reader (STORAGE_VERSION ${literal(storageVersion)})`);
  let kept: Definition[] = [];
  try {
    const schemas = publishedSchemas.map((schema) => `CREATE SCHEMA IF NOT EXISTS firn_reader.${schema}`);
    await copyTables(source, catalogue, fresh, schemas);
    if (held.size > 0) kept = await copyHeld(small, held);
  } catch (error) {
    // The first error is the one to tell; after a full disk nothing works any more.
    await source.run('DETACH firn_reader').catch(() => {});
    throw error;
  }
  await source.run('DETACH firn_reader');
  return kept;
}

/** Tables of the schema `firn` that are held back, as readers see them now, and how the views that are held back are defined. */
async function copyHeld({ source, before }: SmallTables, held: ReadonlySet<string>): Promise<Definition[]> {
  if (before === undefined) return [];
  // It goes with the next version in any case, and would be replayed here.
  await rm(`${before}.wal`, { force: true });
  // A damaged one has nothing to offer, and is replaced.
  if ((await readerVersion(before)) === 0) return [];
  await source.run(`ATTACH ${literal(before)} AS firn_before (READ_ONLY)`);
  try {
    const tables = await smallTables(source, 'firn_before');
    await copyTables(
      source,
      'firn_before',
      tables.filter((table) => held.has(nameOf(table))),
    );
    return (await definitionsOf(source, 'firn_before')).filter((view) => held.has(nameOf(view)));
  } finally {
    await source.run('DETACH firn_before').catch(() => {});
  }
}

const definitionsOf = async (source: SmallTables['source'], catalogue: string): Promise<Definition[]> => [
  ...(await publishedMacros(source, literal(catalogue))),
  ...viewsOf(await publishedTables(source, literal(catalogue))),
];

const smallTables = async (source: SmallTables['source'], catalogue: string): Promise<CatalogueTable[]> =>
  (await publishedTables(source, literal(catalogue))).filter(
    ({ schema, name, viewSql }) => schema === 'firn' && name !== 'published' && viewSql === undefined,
  );

function copyTables(
  source: SmallTables['source'],
  catalogue: string,
  tables: readonly CatalogueTable[],
  first: readonly string[] = [],
): Promise<unknown> {
  const copies = tables.flatMap((table) => copyTable(table, catalogue));
  return source.transaction((tx) => tx.run([...first, ...copies].join(';\n')));
}

function copyTable(table: CatalogueTable, catalogue: string): string[] {
  const target = `firn_reader.${qualified(table)}`;
  const columns = parquetColumns(table)
    .filter(({ extra }) => !extra)
    .map(({ name, expression }) => `${expression} AS ${identifier(name)}`);
  return [
    `CREATE TABLE ${target} AS SELECT ${columns.join(', ')} FROM ${identifier(catalogue)}.${qualified(table)}`,
    ...comments('TABLE', table, table.comment, table.columns, 'firn_reader.'),
  ];
}

/**
 * Makes the views. DuckDB binds a view when it is made; that needs neither the files (which only readers may see under `root`)
 * nor the time to open them: empty tables stand in for the published ones while the models' views are made, and a macro of
 * the same name for `read_parquet` while the tables' own are.
 */
async function createViews(
  path: string,
  manifest: Manifest,
  target: ReaderTarget,
  definitions: readonly Definition[],
): Promise<void> {
  const held = new Set(manifest.held_back);
  const sqlOf = new Map(definitions.map((definition) => [nameOf(definition), withoutBuild(definition.sql)]));
  const wanted = [...manifest.macros, ...manifest.views].flatMap(({ schema, name }): Definition[] => {
    const sql = sqlOf.get(nameOf({ schema, name }));
    if (sql !== undefined) return [{ schema, name, sql }];
    if (held.has(nameOf({ schema, name }))) return [];
    throw new FirnError(
      'failed',
      `Nothing says how ${schema}.${name} is made. Run \`firn publish\`: it makes it again.`,
    );
  });
  const opened = await openDuckDb({ folders: [dirname(path)], config: { memory_limit: '512MB' } });
  const { connection, transaction, close } = opened;
  try {
    // There is nothing to optimise in thousands of small statements, and asking for each whether there is takes a third of their time.
    await connection.run(`PRAGMA disable_optimizer; ATTACH ${literal(path)} AS analytics; USE analytics`);
    const stubs = manifest.tables.map(
      (table) => `CREATE TABLE ${qualified(table)} AS ${emptySelect(table.columns, readerType)}`,
    );
    const made = await transaction(async () => {
      await connection.run(stubs.join(';\n'));
      // A view that names one not made yet is an error of binding, which leaves the transaction as it is.
      return makeInAnyOrder(connection, wanted, held);
    });
    const views = manifest.tables.flatMap((table) => [
      `DROP TABLE ${qualified(table)}`,
      `CREATE OR REPLACE TEMP MACRO read_parquet(files, hive_partitioning := true, hive_types := NULL) AS TABLE ${emptySelect(table.columns, ({ parquet_type }) => parquet_type)}`,
      readerViewSql(table, `${target.root}/lake`),
    ]);
    const told = [...manifest.tables, ...manifest.views.filter((view) => made.has(nameOf(view)))].flatMap((view) =>
      comments('VIEW', view, view.comment, view.columns),
    );
    // A statement outside of a transaction waits for the disk: thousands of comments would take seconds.
    const statements = [...views, ...told, publishedVersion(manifest, target)];
    await transaction(() => connection.run(statements.join(';\n')));
    await connection.run('USE memory; DETACH analytics');
  } finally {
    close();
  }
}

/**
 * Nothing is built in a reader database, so that what a build is limited to is NULL there: DuckDB 1.0 has no variables. What readers may
 * set themselves (`firn_variant`) stays. A pattern is enough: DuckDB wrote this SQL, and writes a call in one way.
 */
const withoutBuild = (sql: string) => sql.replace(/\bgetvariable\('firn_(?!variant)\w+'\)/g, 'NULL');

type Columns = Manifest['tables'][number]['columns'];

const emptySelect = (columns: Columns, typeOf: (column: Columns[number]) => string) =>
  `SELECT ${columns.map((column) => `CAST(NULL AS ${typeOf(column)}) AS ${identifier(column.name)}`).join(', ')} WHERE false`;

const publishedVersion = ({ version, run_id, published_at, tables }: Manifest, { root, isSet }: ReaderTarget) => `
  CREATE TABLE firn.published (
    "version" BIGINT, run_id VARCHAR, published_at TIMESTAMP, root VARCHAR, root_is_set BOOLEAN, files BIGINT, "rows" BIGINT, bytes BIGINT
  );
  COMMENT ON TABLE firn.published IS 'The version that this reader database shows, and the path its views read from.';
  INSERT INTO firn.published VALUES (${version}, ${literal(run_id)}, ${literal(published_at.replace('Z', ''))}, ${literal(root)}, ${isSet},
    ${tables.reduce((sum, { files }) => sum + files.length, 0)}, ${tables.reduce((sum, { rows }) => sum + rows, 0)},
    ${tables.reduce((sum, { files }) => files.reduce((bytes, file) => bytes + file.bytes, sum), 0)})`;

/**
 * Macros and views name each other in any order: go round until all are made, or none can be.
 *
 * @param held relations of an earlier version: where what they read is no longer there, they are left out
 * @returns the names of those that were made
 */
async function makeInAnyOrder(
  connection: DuckDBConnection,
  items: readonly Definition[],
  held: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const made = new Set<string>();
  let waiting = items;
  while (waiting.length > 0) {
    const failed: Definition[] = [];
    let reason: unknown;
    for (const item of waiting) {
      try {
        await connection.run(item.sql);
        made.add(nameOf(item));
      } catch (error) {
        failed.push(item);
        if (!held.has(nameOf(item))) reason = error;
      }
    }
    if (failed.length === waiting.length) {
      const unexpected = failed.filter((item) => !held.has(nameOf(item)));
      if (unexpected.length === 0) return made;
      throw new FirnError(
        'contract',
        `${unexpected.map(qualified).join(', ')} cannot be shown to readers: ${reason}. ` +
          'A published view or macro may name tables, views and macros of raw, staging, mart and firn only; keep others as tables.',
        { cause: reason },
      );
    }
    waiting = failed;
  }
  return made;
}

function comments(
  kind: 'TABLE' | 'VIEW',
  table: { readonly schema: string; readonly name: string },
  comment: string | null,
  columns: readonly { readonly name: string; readonly comment: string | null }[],
  catalogue = '',
): string[] {
  const target = `${catalogue}${qualified(table)}`;
  return [
    ...(comment === null ? [] : [`COMMENT ON ${kind} ${target} IS ${literal(comment)}`]),
    ...columns.flatMap((column) =>
      column.comment === null
        ? []
        : [`COMMENT ON COLUMN ${target}.${identifier(column.name)} IS ${literal(column.comment)}`],
    ),
  ];
}
