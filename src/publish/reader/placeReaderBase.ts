import { existsSync } from 'node:fs';
import { constants, copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parquetColumns } from '../../core/columns/parquetColumns.ts';
import { FirnError, messageOf } from '../../core/firnError.ts';
import { identifier, literal, nameOf, qualified } from '../../core/text/sqlText.ts';
import { sha256File } from '../../disk/sha256File.ts';
import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { sha256 } from '../../load/sha256.ts';
import { type CatalogueTable, type Definition, publishedSchemas } from '../files/publishedTables.ts';
import type { Manifest } from '../manifest.ts';
import { commentsSql } from './commentsSql.ts';
import { emptySelect, readerType } from './selectFiles.ts';

/** The oldest storage format of the 1.x line: every DuckDB client since 1.0 opens it. */
const storageVersion = 'v1.0.0';

/** As many stay: relations that are held back, and given free again, have shapes that take turns. */
const keptBases = 3;

/** All that a reader database shows, except for rows and files. */
export interface ReaderShape {
  /** Tables that have files. */
  readonly tables: Manifest['tables'];
  /** Tables that are copied. */
  readonly copied: readonly CatalogueTable[];
  /** Macros and views of the models, in any order. */
  readonly definitions: readonly Definition[];
  /** The comments of those views. */
  readonly views: Manifest['views'];
  /** Relations of an earlier version: those that read something which is gone are left out. */
  readonly held: ReadonlySet<string>;
}

/**
 * Puts the reader database of an empty warehouse of this shape at a path. Making it takes longer than all else of a small publish
 * (3,000 comments, each a new entry of the catalogue), and the next version nearly always has the same shape, or an earlier one where
 * relations were held back and are no longer: the last few are kept in the state folder, under names made of the hashes of their shape and
 * their bytes.
 *
 * @throws FirnError `contract` for views or macros that readers cannot have, with their names as context `relations`
 */
export async function placeReaderBase(folder: string, path: string, shape: ReaderShape): Promise<void> {
  const statements = statementsOf(shape);
  const own = `reader-${sha256(JSON.stringify([storageVersion, statements, [...shape.held]])).slice(0, 16)}-`;
  const state = join(folder, '.state');
  const bases = (await readdir(state)).filter((name) => /^reader-[0-9a-f]{16}-[0-9a-f]{64}\.duckdb$/.test(name));
  await rm(path, { force: true });
  for (const name of bases.filter((base) => base.startsWith(own))) {
    // Another process may remove it in between: then it is made again.
    await copyFile(join(state, name), path, constants.COPYFILE_FICLONE).catch(() => {});
    if (existsSync(path) && name === `${own}${await sha256File(path)}.duckdb`) return;
    for (const harmed of [path, join(state, name)]) await rm(harmed, { force: true });
  }
  await makeBase(path, statements, shape.held);
  const staged = `${path}-base`;
  await copyFile(path, staged, constants.COPYFILE_FICLONE);
  for (const file of await oldBases(bases.map((name) => join(state, name)))) await rm(file, { force: true });
  await rename(staged, join(state, `${own}${await sha256File(staged)}.duckdb`));
}

/** Those that were made before the ones that stay beside a new one. */
async function oldBases(files: readonly string[]): Promise<string[]> {
  const made = files.map(async (file) => ({ file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 }));
  return (await Promise.all(made))
    .sort((a, b) => b.at - a.at)
    .slice(keptBases - 1)
    .map(({ file }) => file);
}

interface BaseStatements {
  readonly tables: readonly string[];
  readonly definitions: readonly Definition[];
  /** By the name of the view. */
  readonly comments: Readonly<Record<string, readonly string[]>>;
}

function statementsOf({ tables, copied, definitions, views }: ReaderShape): BaseStatements {
  const schemas = [...new Set(views.map(({ schema }) => schema))];
  return {
    tables: [
      ...publishedSchemas.map((schema) => `CREATE SCHEMA IF NOT EXISTS ${schema}`),
      ...copied.flatMap((table) => [copiedTable(table), ...commentsSql('TABLE', table, 'analytics')]),
      ...publishedTable,
      ...tables.flatMap((table) => [
        `CREATE VIEW ${qualified(table)} AS ${emptySelect(table.columns, readerType)}`,
        ...commentsSql('VIEW', table, 'analytics'),
      ]),
    ],
    definitions: definitions.map(({ sql, ...definition }) => ({
      ...definition,
      sql: besideViews(withoutBuild(sql), schemas),
    })),
    comments: Object.fromEntries(views.map((view) => [nameOf(view), commentsSql('VIEW', view, 'analytics')])),
  };
}

function copiedTable(table: CatalogueTable): string {
  const columns = parquetColumns(table).filter(({ extra }) => !extra);
  return `CREATE TABLE ${qualified(table)} (${columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ')})`;
}

const publishedColumns: readonly (readonly [name: string, type: string, comment: string])[] = [
  ['version', 'BIGINT', 'Number of the version.'],
  ['run_id', 'VARCHAR', 'Run that published it.'],
  ['published_at', 'TIMESTAMP', 'When it was published [UTC].'],
  ['root', 'VARCHAR', 'Folder of the warehouse as the views name it.'],
  ['root_is_set', 'BOOLEAN', 'Whether `publish.root` names that folder.'],
  ['files', 'BIGINT', 'Parquet files of the version.'],
  ['rows', 'BIGINT', 'Rows in these files.'],
  ['bytes', 'BIGINT', 'Size of these files [bytes].'],
];

const publishedTable = [
  `CREATE TABLE firn.published (${publishedColumns.map(([name, type]) => `${identifier(name)} ${type}`).join(', ')})`,
  ...commentsSql(
    'TABLE',
    {
      schema: 'firn',
      name: 'published',
      comment: 'The version that this reader database shows, and the path its views read from.',
      columns: publishedColumns.map(([name, , comment]) => ({ name, comment })),
    },
    'analytics',
  ),
];

/**
 * Nothing is built in a reader database, so that what a build is limited to is NULL there: DuckDB 1.0 has no variables. What readers may
 * set themselves (`firn_variant`) stays. A pattern is enough: DuckDB wrote this SQL, and writes a call in one way.
 */
const withoutBuild = (sql: string) => sql.replace(/\bgetvariable\('firn_(?!variant)\w+'\)/g, 'NULL');

/**
 * In an attached database, DuckDB before 1.5 looks for the macros of a view in the view's own schema alone: those of `main` stand there too,
 * except where another has the name.
 */
function besideViews(sql: string, schemas: readonly string[]): string {
  const made = 'CREATE OR REPLACE MACRO "main".';
  const others = sql.startsWith(made) ? schemas : [];
  return [
    sql,
    ...others.map((schema) => `CREATE MACRO IF NOT EXISTS ${identifier(schema)}.${sql.slice(made.length)}`),
  ].join(';\n');
}

async function makeBase(
  path: string,
  { tables, definitions, comments }: BaseStatements,
  held: ReadonlySet<string>,
): Promise<void> {
  const { connection, transaction, close } = await openDuckDb({
    folders: [dirname(path)],
    config: { memory_limit: '512MB' },
  });
  try {
    // There is nothing to optimise in thousands of small statements, and trying takes a third of their time.
    await connection.run(
      `PRAGMA disable_optimizer;
       ATTACH ${literal(path)} AS analytics (STORAGE_VERSION ${literal(storageVersion)}, RECOVERY_MODE no_wal_writes);
       USE analytics`,
    );
    // One transaction: a view that names one not made yet fails to bind, which leaves the transaction as it is.
    await transaction(async () => {
      await connection.run(tables.join(';\n'));
      const made = await makeInAnyOrder(connection, definitions, held);
      const told = Object.entries(comments).flatMap(([name, statements]) => (made.has(name) ? statements : []));
      if (told.length > 0) await connection.run(told.join(';\n'));
    });
    await connection.run('CHECKPOINT analytics; USE memory; DETACH analytics');
  } finally {
    close();
  }
}

/**
 * Macros and views name each other in any order: go round until all are made, or none can be.
 *
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
      const relations = failed.map(nameOf).filter((name) => !held.has(name));
      if (relations.length === 0) return made;
      throw new FirnError(
        'contract',
        `${relations.join(', ')} cannot be shown to readers: ${messageOf(reason).split('\n')[0]} ` +
          `A published view or macro may name tables, views and macros of ${publishedSchemas.join(', ')} only, and no rowid; keep others as tables.`,
        { context: { relations }, cause: reason },
      );
    }
    waiting = failed;
  }
  return made;
}
