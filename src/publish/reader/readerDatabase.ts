import { existsSync } from 'node:fs';
import { chmod, copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parquetColumns } from '../../core/columns/parquetColumns.ts';
import { FirnError } from '../../core/firnError.ts';
import { identifier, literal, nameOf, qualified } from '../../core/text/sqlText.ts';
import { moveDurably, syncFile } from '../../disk/durable.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { sha256File } from '../../disk/sha256File.ts';
import { removeDatabase } from '../../load/database/removeDatabase.ts';
import {
  type Catalogue,
  type CatalogueTable,
  type Definition,
  readCatalogue,
  viewsOf,
} from '../files/publishedTables.ts';
import type { PublishSource } from '../files/publishSource.ts';
import type { Manifest } from '../manifest.ts';
import { commentsSql } from './commentsSql.ts';
import { placeReaderBase } from './placeReaderBase.ts';
import type { ReaderTarget } from './readerPaths.ts';
import { readerVersion } from './readerVersion.ts';
import { emptySelect, selectFiles } from './selectFiles.ts';

/** Where the small tables come from, and how the views and macros of a version are made. */
export interface SmallTables {
  readonly source: Omit<PublishSource, 'folder'>;
  /** The database with the `firn` schema: the state database, or an older reader database. */
  readonly catalogue: Catalogue;
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
  await makeFolder(dirname(staged));
  await rm(`${staged}.wal`, { force: true });
  try {
    await build(folder, staged, manifest, target, small);
  } catch (error) {
    // On a full disk one of each process that tried would stay.
    await removeDatabase(staged);
    throw error;
  }
  return { target, staged, sha256: await sha256File(staged) };
}

async function build(
  folder: string,
  staged: string,
  manifest: Manifest,
  target: ReaderTarget,
  small: SmallTables,
): Promise<void> {
  await withSources(small, `${staged}-before`, async (catalogues) => {
    const copied = catalogues.flatMap(({ name, tables }) =>
      tables
        .filter((table) => table.schema === 'firn' && table.name !== 'published' && table.viewSql === undefined)
        .map((table) => ({ table, from: name })),
    );
    await placeReaderBase(folder, staged, {
      tables: manifest.tables,
      copied: copied.map(({ table }) => table),
      definitions: definitionsOf(manifest, catalogues),
      views: manifest.views,
      held: new Set(manifest.held_back),
    });
    await fill(small.source, staged, [
      ...copied.filter(({ table }) => !table.isEmpty).map(({ table, from }) => copyRows(table, from)),
      ...showFiles(manifest, target),
      publishedVersion(manifest, target),
    ]);
  });
  await syncFile(staged);
  // Whoever may not read the files need not read the small tables: some hold records as they were served.
  await chmod(staged, 0o444 & ~process.umask());
}

/** Puts a built reader database in the place of the one in use. Whoever has the old one open keeps it. */
export async function swapReaderDatabase({ target, staged }: BuiltReader): Promise<void> {
  // A write-ahead log that some tool left beside the old version would be replayed into the new one.
  await rm(`${target.file}.wal`, { force: true });
  // The state folder may be a disk of its own.
  await moveDurably(staged, target.file);
}

/**
 * Shows `work` the catalogues that everything comes from: for what is held back, the reader database before, in a copy. A tool that has
 * it open for writing lets nobody else open it, and a write-ahead log beside it is no part of what was published.
 */
async function withSources(
  { source, catalogue, held = new Set(), before }: SmallTables,
  copy: string,
  work: (catalogues: readonly Catalogue[]) => Promise<void>,
): Promise<void> {
  const own = partOf(catalogue, (name) => !held.has(name));
  if (held.size === 0 || before === undefined || !existsSync(before)) return work([own]);
  try {
    await copyFile(before, copy);
    // A damaged one has nothing to offer, and is replaced.
    if ((await readerVersion(copy)) === 0) return await work([own]);
    await source.run(`ATTACH ${literal(copy)} AS firn_before (READ_ONLY)`);
    try {
      const old = await readCatalogue(source, 'firn_before');
      await work([own, partOf(old, (name) => held.has(name))]);
    } finally {
      await source.run('DETACH firn_before').catch(() => {});
    }
  } finally {
    await rm(copy, { force: true });
  }
}

const partOf = ({ name, tables, macros }: Catalogue, isPart: (relation: string) => boolean): Catalogue => ({
  name,
  tables: tables.filter((table) => isPart(nameOf(table))),
  macros: macros.filter((macro) => isPart(nameOf(macro))),
});

/** How the macros and views of a version are made. */
function definitionsOf(manifest: Manifest, catalogues: readonly Catalogue[]): Definition[] {
  const known = catalogues.flatMap(({ macros, tables }) => [...macros, ...viewsOf(tables)]);
  const byName = new Map(known.map((definition) => [nameOf(definition), definition]));
  return [...manifest.macros, ...manifest.views].flatMap((relation) => {
    const found = byName.get(nameOf(relation));
    if (found) return [found];
    if (manifest.held_back.includes(nameOf(relation))) return [];
    throw new FirnError(
      'failed',
      `Nothing says how ${nameOf(relation)} is made. Run \`firn publish\`: it makes it again.`,
    );
  });
}

/** Runs statements on a database file, as one transaction. */
async function fill(source: SmallTables['source'], path: string, statements: readonly string[]): Promise<void> {
  await source.run(`ATTACH ${literal(path)} AS firn_reader (RECOVERY_MODE no_wal_writes)`);
  try {
    await source.transaction((tx) => tx.run(statements.join(';\n')));
    await source.run('CHECKPOINT firn_reader');
  } catch (error) {
    // The first error is the one to tell; after a full disk nothing works any more.
    await source.run('DETACH firn_reader').catch(() => {});
    throw error;
  }
  await source.run('DETACH firn_reader');
}

function copyRows(table: CatalogueTable, from: string): string {
  const columns = parquetColumns(table).filter(({ extra }) => !extra);
  const values = columns.map(({ expression }) => expression).join(', ');
  return `INSERT INTO firn_reader.${qualified(table)} SELECT ${values} FROM ${identifier(from)}.${qualified(table)}`;
}

/**
 * The views of tables that have files. DuckDB binds a view when it is made; a macro instead of `read_parquet` lets it do that without the
 * files, which only readers may see under `root`, and without the time to open them.
 */
function showFiles({ tables }: Manifest, { root }: ReaderTarget): string[] {
  const filled = tables.filter(({ files }) => files.length > 0);
  const views = filled.flatMap((table) => [
    `CREATE OR REPLACE TEMP MACRO read_parquet(files, hive_partitioning := true, hive_types := NULL) AS TABLE ${emptySelect(table.columns, ({ parquet_type }) => parquet_type)}`,
    `CREATE OR REPLACE VIEW firn_reader.${qualified(table)} AS ${selectFiles(table, `${root}/lake`)}`,
    ...commentsSql('VIEW', table, 'firn_reader'),
  ]);
  return filled.length === 0 ? [] : [...views, 'DROP MACRO TABLE temp.main.read_parquet'];
}

const publishedVersion = ({ version, run_id, published_at, tables }: Manifest, { root, isSet }: ReaderTarget) => `
  INSERT INTO firn_reader.firn.published VALUES (${version}, ${literal(run_id)}, ${literal(published_at.replace('Z', ''))}, ${literal(root)}, ${isSet},
    ${tables.reduce((sum, { files }) => sum + files.length, 0)}, ${tables.reduce((sum, { rows }) => sum + rows, 0)},
    ${tables.reduce((sum, { files }) => files.reduce((bytes, file) => bytes + file.bytes, sum), 0)})`;
