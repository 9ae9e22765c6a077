import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hasCode } from '../core/firnError.ts';
import { nameOf } from '../core/text/sqlText.ts';
import { newestLoad } from '../load/commit/checkpoints.ts';
import { sha256 } from '../load/sha256.ts';
import { refuseLinks } from '../load/state/refuseLinks.ts';
import { refuseMoved } from '../load/state/refuseMoved.ts';
import { type FilePlanOptions, isInFiles, planFiles } from './files/planFiles.ts';
import type { Catalogue, Definition } from './files/publishedTables.ts';
import type { PublishSource } from './files/publishSource.ts';
import { noteVersion } from './files/readNews.ts';
import { relationsToShow } from './files/relationsToShow.ts';
import { withComputedViews } from './files/withComputedViews.ts';
import { writeFiles } from './files/writeFiles.ts';
import {
  announceReaders,
  lakeFolder,
  listVersions,
  type Manifest,
  newestManifest,
  readVersion,
  versionFile,
  writeCurrent,
  writeVersion,
} from './manifest.ts';
import { publishError } from './publishError.ts';
import { rememberReader, versionsInUse } from './reader/openReaders.ts';
import { type BuiltReader, buildReaderDatabase, swapReaderDatabase } from './reader/readerDatabase.ts';
import { localReaderFile, ownReaderFile, readerFile, readerTargets } from './reader/readerPaths.ts';
import { giveRoomBack } from './versions/giveRoomBack.ts';
import { currentFolder, linkVersion, showVersion } from './versions/linkVersion.ts';
import { removeUnreferenced } from './versions/removeUnreferenced.ts';

/** The steps of a publish, in order; a kill before any of them leaves the version before complete. */
export type PublishStep = 'clean' | 'write' | 'reader' | 'manifest' | 'swap' | 'current' | 'remove';

export interface PublishOptions extends FilePlanOptions {
  readonly runId: string;
  /** Versions whose files stay; those that somebody still has open stay anyway. Default: 3. */
  readonly keepVersions?: number;
  /** The warehouse folder as readers see it, where that is another path (a container's mount). Default: its own path. */
  readonly root?: string | undefined;
  readonly signal?: AbortSignal;
  /** Called before each step (before each file for `write`); tests fail or kill there. */
  readonly failAt?: (step: PublishStep) => void | Promise<void>;
}

export interface PublishResult {
  readonly version: number;
  /** Whether this publish made the version; where nothing had changed, only the small tables were renewed. */
  readonly isNew: boolean;
  readonly written: number;
  readonly reused: number;
  readonly removed: number;
  readonly rows: number;
  readonly bytes: number;
  /** The folder of the Parquet files of all kept versions. */
  readonly folder: string;
  /** The folder with the files of the newest version alone, for tools that read whole folders. */
  readonly parquet: string;
  readonly readerDatabase: string;
}

/**
 * Makes what the state database holds visible to readers, as one consistent version: Parquet files of every table of `raw`,
 * `staging`, `mart` and `refs` (only units that changed are written), a manifest, and a reader database swapped in by rename. Relations
 * that are held back (`firn.held_back`) stay as the version before had them.
 *
 * @throws FirnError `disk`, `contract` for columns that Parquet cannot hold exactly or views that readers cannot have (context `relations`), `interrupted`
 */
export async function publish(source: PublishSource, options: PublishOptions): Promise<PublishResult> {
  try {
    return await publishVersion(source, options);
  } catch (error) {
    const told = publishError(error, `publish ${source.folder}`);
    if (hasCode(told, 'disk')) await giveRoomBack(source.folder).catch(() => undefined);
    throw told;
  }
}

async function publishVersion(source: PublishSource, options: PublishOptions): Promise<PublishResult> {
  const { folder } = source;
  const failAt = options.failAt ?? (() => undefined);
  await refuseLinks(folder);
  refuseMoved(folder);
  await failAt('clean');
  await removeUnreferenced(folder, () => true);
  const { before, newest } = await newestManifest(folder);

  const { catalogue, held, relations, areFew } = await relationsToShow(source, before, options);
  const loadId = await newestLoad(source);
  const { plan, outgoing, written } = await withComputedViews(source, relations, areFew, async (tables) => {
    const planned = await planFiles(source, tables, before, held, options);
    const files = await writeFiles(source, planned, {
      version: newest + 1,
      signal: options.signal,
      before: () => failAt('write'),
    });
    return { plan: planned, outgoing: files.tables, written: files.written };
  });
  const tables = [...outgoing, ...plan.kept].sort(byName);
  const views = [
    ...viewsToBe(catalogue, held, options),
    ...(before?.views ?? []).filter((view) => held.has(nameOf(view))),
  ].sort(byName);
  const draft = { tables, views, macros: catalogue.macros.map(hashed), held_back: [...held] };
  const isNew = before === undefined || !isSame(before, draft);
  const manifest: Manifest = isNew
    ? { format: 2, version: newest + 1, run_id: options.runId, published_at: new Date().toISOString(), ...draft }
    : before;
  await failAt('reader');
  // Before the manifest, which makes the version: readers may not be able to have a view.
  const readers = await buildReaders({ source, catalogue, held }, manifest, options.root);
  await failAt('manifest');
  if (isNew || !existsSync(versionFile(folder, manifest.version))) await writeVersion(folder, manifest);
  if (options.rehash) await rewriteOldManifests(folder);
  await linkVersion(folder, manifest);
  await failAt('swap');
  const hashes = await swapReaders(folder, readers);
  await failAt('current');
  await writeCurrent(folder, manifest, hashes);
  await showVersion(folder, manifest.version);
  await noteVersion(source, manifest, loadId);
  await failAt('remove');
  const removed = await removeOld(source, plan.harmed, manifest.version, Math.max(1, options.keepVersions ?? 3));

  const files = tables.flatMap((table) => table.files);
  return {
    version: manifest.version,
    isNew,
    written,
    reused: files.length - written,
    removed,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    folder: lakeFolder(folder),
    parquet: currentFolder(folder),
    readerDatabase: readerFile(folder),
  };
}

/** Views as the catalogue has them now, but for those that are held back. */
const viewsToBe = ({ tables }: Catalogue, held: ReadonlySet<string>, { layouts }: PublishOptions) =>
  tables
    .filter((table) => !held.has(nameOf(table)) && !isInFiles(table, layouts))
    .flatMap(({ schema, name, comment, columns, viewSql: sql }) =>
      sql === undefined ? [] : [{ ...hashed({ schema, name, sql }), comment, columns: columns.map(withoutType) }],
    );

async function buildReaders(
  from: { readonly source: PublishSource; readonly catalogue: Catalogue; readonly held: ReadonlySet<string> },
  manifest: Manifest,
  root: string | undefined,
): Promise<BuiltReader[]> {
  const { folder } = from.source;
  const small = { ...from, before: ownReaderFile(folder) };
  const built = [];
  for (const target of await readerTargets(folder, root))
    built.push(await buildReaderDatabase(folder, manifest, target, small));
  return built;
}

/** @returns hashes of the reader databases */
async function swapReaders(folder: string, built: readonly BuiltReader[]): Promise<string[]> {
  const hashes = built.map(({ sha256 }) => sha256);
  await announceReaders(folder, hashes);
  for (const reader of built) {
    await rememberReader(folder, reader.target.file);
    await swapReaderDatabase(reader);
  }
  if (!built.some(({ target }) => target.file === localReaderFile(folder)))
    await rm(localReaderFile(folder), { force: true });
  return hashes;
}

/** Removes what neither the last versions nor anybody's open reader database needs. */
async function removeOld(
  source: PublishSource,
  harmed: ReadonlySet<string>,
  current: number,
  keepVersions: number,
): Promise<number> {
  const { folder } = source;
  const inUse = await versionsInUse(folder, source);
  const whole = await listWhole(folder, harmed, current);
  const kept = new Set(whole.slice(-keepVersions));
  return removeUnreferenced(folder, (version) => kept.has(version) || inUse.has(version));
}

/** The versions that name no damaged file, and the current one. */
async function listWhole(folder: string, harmed: ReadonlySet<string>, current: number): Promise<number[]> {
  const versions = await listVersions(folder);
  if (harmed.size === 0) return versions;
  const whole: number[] = [];
  for (const version of versions) {
    const files = (await readVersion(folder, version))?.tables.flatMap((table) => table.files) ?? [];
    if (version === current || !files.some(({ path }) => harmed.has(path))) whole.push(version);
  }
  return whole;
}

/** Gives manifests of older versions the hash that they lack. */
async function rewriteOldManifests(folder: string): Promise<void> {
  for (const version of await listVersions(folder)) {
    const manifest = await readVersion(folder, version);
    if (manifest?.format === 1) await writeVersion(folder, manifest);
  }
}

const hashed = ({ schema, name, sql }: Definition) => ({ schema, name, sql_sha256: sha256(sql) });

const withoutType = ({ name, comment }: { name: string; comment: string | null }) => ({ name, comment });

/** The order of the catalogue. */
const byName = (a: { schema: string; name: string }, b: { schema: string; name: string }): number =>
  a.schema === b.schema ? (a.name < b.name ? -1 : 1) : a.schema < b.schema ? -1 : 1;

const isSame = (before: Manifest, now: Pick<Manifest, 'tables' | 'views' | 'macros' | 'held_back'>) =>
  JSON.stringify([before.tables, before.views, before.macros, before.held_back]) ===
  JSON.stringify([now.tables, now.views, now.macros, now.held_back]);
