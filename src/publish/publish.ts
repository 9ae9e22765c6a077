import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { publishError, syncFolder } from './durable.ts';
import { harmOf } from './harmOf.ts';
import {
  lakeFolder,
  listVersions,
  type Manifest,
  type ManifestFile,
  type ManifestTable,
  readVersion,
  writeCurrent,
  writeVersion,
} from './manifest.ts';
import { rememberReader, versionsInUse } from './openReaders.ts';
import { publishedMacros, publishedTables } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { buildReaderDatabase, readerFile, swapReaderDatabase } from './readerDatabase.ts';
import { removeUnreferenced } from './removeUnreferenced.ts';
import { stopIfAborted } from './stopIfAborted.ts';
import { tableLayout } from './tableLayout.ts';
import { parquetColumns } from './typeProfile.ts';
import { findUnits, partitionColumns, type Unit } from './units.ts';
import { type Outgoing, stagingFolder, writeUnit } from './writeUnit.ts';

/** The steps of a publish, in order; a kill before any of them leaves the version before complete. */
export type PublishStep = 'clean' | 'write' | 'manifest' | 'reader' | 'swap' | 'current' | 'remove';

export interface PublishOptions {
  readonly runId: string;
  /** Versions whose files stay; those that somebody still has open stay anyway. Default: 3. */
  readonly keepVersions?: number;
  /** The warehouse folder as readers see it, where that is another path (a container's mount). Default: its own path. */
  readonly root?: string;
  /** Chains whose months are cut into files by day (`partition: day`); months of many rows always are. */
  readonly daily?: readonly string[];
  /** Rows of a partition above which it is cut into files by day or by 100,000 heights. Default: 2,000,000. */
  readonly maxRows?: number;
  /** Hash every file before it is kept, so that one that was harmed on the disk is written again. */
  readonly rehash?: boolean;
  readonly log?: (message: string, facts?: Record<string, unknown>) => void;
  /** Told after each file: files done and files of the version. */
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** Called before each step (before each file for `write`); tests fail or kill there. */
  readonly failAt?: (step: PublishStep) => void | Promise<void>;
}

export interface PublishResult {
  readonly version: number;
  /** Whether this publish made the version; else nothing had changed and only the small tables were renewed. */
  readonly isNew: boolean;
  readonly written: number;
  readonly reused: number;
  readonly removed: number;
  readonly rows: number;
  readonly bytes: number;
  /** The folder of the Parquet files. */
  readonly folder: string;
  readonly readerDatabase: string;
}

/**
 * Makes what the state database holds visible to readers, as one consistent version: Parquet files of every table of `raw`,
 * `staging` and `mart` (only units that changed are written), a manifest, and a reader database swapped in by rename.
 *
 * @throws FirnError `disk`, `contract` for columns that Parquet cannot hold exactly, `interrupted`
 */
export async function publish(source: PublishSource, options: PublishOptions): Promise<PublishResult> {
  try {
    return await publishVersion(source, options);
  } catch (error) {
    throw publishError(error, `publish ${source.folder}`);
  }
}

async function publishVersion(source: PublishSource, options: PublishOptions): Promise<PublishResult> {
  const { folder } = source;
  const failAt = options.failAt ?? (() => undefined);
  const keepVersions = Math.max(1, options.keepVersions ?? 3);
  const root = options.root ?? resolve(folder);
  await failAt('clean');
  await removeUnreferenced(folder, () => true);
  const newest = (await listVersions(folder)).at(-1) ?? 0;
  const before = newest === 0 ? undefined : await readVersion(folder, newest);

  const catalogue = await publishedTables(source);
  const outgoing = catalogue
    .filter(({ schema, viewSql }) => schema !== 'firn' && viewSql === undefined)
    .map((table): Outgoing => ({ table, layout: tableLayout(table.columns), columns: parquetColumns(table) }));
  const plan = await planFiles(source, outgoing, before, options);
  const { tables, written } = await writeFiles(source, plan.tables, newest + 1, options);
  const draft = {
    tables,
    views: catalogue.flatMap(({ schema, name, comment, columns, viewSql }) =>
      viewSql === undefined ? [] : [{ schema, name, sql: viewSql, comment, columns: columns.map(named) }],
    ),
    macros: [...(await publishedMacros(source))],
  };
  const isNew = before === undefined || !isSame(before, draft);
  const manifest: Manifest = isNew
    ? { format: 1, version: newest + 1, run_id: options.runId, published_at: new Date().toISOString(), ...draft }
    : before;
  if (isNew) {
    await failAt('manifest');
    await writeVersion(folder, manifest);
  }
  await failAt('reader');
  const [state] = await source.query<{ name: string }>('SELECT current_database() AS name');
  const small = { source, catalogue: state?.name ?? '' };
  const built = await buildReaderDatabase(folder, manifest, root, small);
  await failAt('swap');
  if (isNew && before) await rememberReader(folder, before.version);
  await swapReaderDatabase(folder, built);
  await failAt('current');
  await writeCurrent(folder, manifest);
  await failAt('remove');
  const inUse = await versionsInUse(folder, source);
  const kept = await listWhole(folder, plan.harmed, manifest.version);
  const newestKept = new Set(kept.slice(-keepVersions));
  const removed = await removeUnreferenced(folder, (version) => newestKept.has(version) || inUse.has(version));

  const files = tables.flatMap((table) => table.files);
  const result = {
    version: manifest.version,
    isNew,
    written,
    reused: files.length - written,
    removed,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    folder: lakeFolder(folder),
    readerDatabase: readerFile(folder),
  };
  options.log?.(
    isNew ? `published version ${manifest.version}` : `version ${manifest.version} is still current`,
    result,
  );
  return result;
}

interface PlannedTable extends Outgoing {
  readonly units: readonly { readonly unit: Unit; readonly reused: ManifestFile | undefined }[];
}

interface Plan {
  readonly tables: readonly PlannedTable[];
  /** Files of the version before that are gone or not what was published. */
  readonly harmed: ReadonlySet<string>;
}

async function planFiles(
  source: PublishSource,
  outgoing: readonly Outgoing[],
  before: Manifest | undefined,
  { daily = [], maxRows = 2_000_000, rehash = false }: PublishOptions,
): Promise<Plan> {
  const harmed = await findHarmed(source.folder, before, rehash);
  const unitOptions = { daily: new Set(daily), maxRows, stateId: await stateId(source) };
  const tables: PlannedTable[] = [];
  for (const item of outgoing) {
    const { schema, name } = item.table;
    const old = before?.tables.find((table) => table.schema === schema && table.name === name)?.files ?? [];
    const files = new Map(old.filter(({ path }) => !harmed.has(path)).map((file) => [file.unit, file]));
    const units = await findUnits(source, item.table, item.layout, item.columns, unitOptions);
    const planned = units.map((unit) => {
      const file = files.get(unit.key);
      return { unit, reused: file?.fingerprint === unit.fingerprint ? file : undefined };
    });
    tables.push({ ...item, units: planned });
  }
  return { tables, harmed };
}

async function findHarmed(folder: string, before: Manifest | undefined, rehash: boolean): Promise<ReadonlySet<string>> {
  const harmed = new Set<string>();
  for (const file of before?.tables.flatMap((table) => table.files) ?? []) {
    if (await harmOf(join(lakeFolder(folder), file.path), file, rehash)) harmed.add(file.path);
  }
  return harmed;
}

/** The versions that name no harmed file, and the newest. */
async function listWhole(folder: string, harmed: ReadonlySet<string>, newest: number): Promise<number[]> {
  const versions = await listVersions(folder);
  if (harmed.size === 0) return versions;
  const whole: number[] = [];
  for (const version of versions) {
    const files = (await readVersion(folder, version))?.tables.flatMap((table) => table.files) ?? [];
    if (version === newest || !files.some(({ path }) => harmed.has(path))) whole.push(version);
  }
  return whole;
}

/** Tells this state database from one made anew in the same folder. */
async function stateId(source: PublishSource): Promise<string> {
  const rows = await source.query<{ made: string }>(
    'SELECT CAST(min(applied_at) AS VARCHAR) AS made FROM main.firn_schema_version',
  );
  return rows[0]?.made ?? '';
}

async function writeFiles(
  source: PublishSource,
  plan: readonly PlannedTable[],
  version: number,
  { signal, progress, failAt }: PublishOptions,
): Promise<{ tables: ManifestTable[]; written: number }> {
  const lake = lakeFolder(source.folder);
  await mkdir(join(lake, stagingFolder), { recursive: true });
  const total = plan.reduce((sum, { units }) => sum + units.length, 0);
  const folders = new Set<string>();
  let done = 0;
  let written = 0;
  const tables: ManifestTable[] = [];
  for (const { table, layout, columns, units } of plan) {
    const files: ManifestFile[] = [];
    for (const { unit, reused } of units) {
      stopIfAborted(signal, 'Publishing');
      if (!reused) {
        await failAt?.('write');
        const file = await writeUnit(source, { table, layout, columns }, unit, version, `${++written}.parquet`);
        for (let at = dirname(file.path); at !== '.'; at = dirname(at)) folders.add(at);
        files.push(file);
      } else files.push(reused);
      progress?.(++done, total);
    }
    tables.push({
      schema: table.schema,
      name: table.name,
      comment: table.comment,
      columns: table.columns.map((column) => ({
        name: column.name,
        type: column.type,
        parquet_type: columns.find(({ name, extra }) => !extra && name === column.name)?.type ?? column.type,
        comment: column.comment,
      })),
      partition_columns: [...partitionColumns(layout)],
      rows: units.reduce((sum, { unit }) => sum + unit.rows, 0),
      files,
    });
  }
  for (const folder of folders) await syncFolder(join(lake, folder));
  await syncFolder(lake);
  return { tables, written };
}

const named = ({ name, comment }: { name: string; comment: string | null }) => ({ name, comment });

const isSame = (before: Manifest, { tables, views, macros }: Pick<Manifest, 'tables' | 'views' | 'macros'>) =>
  JSON.stringify([before.tables, before.views, before.macros]) === JSON.stringify([tables, views, macros]);
