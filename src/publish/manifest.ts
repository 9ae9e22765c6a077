import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FirnError } from '../core/firnError.ts';
import { writeDurably } from './durable.ts';

const column = z.object({
  name: z.string(),
  /** DuckDB type in the reader database. */
  type: z.string(),
  /** DuckDB type of the Parquet column; the Arrow and Parquet types follow from it. */
  parquet_type: z.string(),
  comment: z.string().nullable(),
});

const file = z.object({
  /** Relative to the lake folder, with `/`. */
  path: z.string(),
  /** Rows of one partition that are written together, such as `43114/2026-01`: the unit of change. */
  unit: z.string(),
  /** Hive values, in the order of the table's partition columns; null for NULL. */
  partition: z.array(z.string().nullable()),
  rows: z.number().int().nonnegative(),
  bytes: z.number().int().positive(),
  sha256: z.string(),
  /** Changes whenever a row of the unit does. */
  fingerprint: z.string(),
  first: z.string().nullable(),
  last: z.string().nullable(),
});

const table = z.object({
  schema: z.string(),
  name: z.string(),
  comment: z.string().nullable(),
  columns: z.array(column),
  partition_columns: z.array(z.string()),
  rows: z.number().int().nonnegative(),
  files: z.array(file),
});

const view = z.object({
  schema: z.string(),
  name: z.string(),
  sql: z.string(),
  comment: z.string().nullable(),
  columns: z.array(z.object({ name: z.string(), comment: z.string().nullable() })),
});

const manifest = z.object({
  format: z.literal(1),
  version: z.number().int().positive(),
  run_id: z.string(),
  published_at: z.string(),
  tables: z.array(table),
  views: z.array(view),
  macros: z.array(z.object({ schema: z.string(), name: z.string(), sql: z.string() })),
  /** Relations that stay as the version before had them (those it had not are absent): see `firn.held_back`. */
  held_back: z.array(z.string()).default([]),
});

/** Everything one published version consists of. Written last; what it does not name is not part of the version. */
export type Manifest = z.infer<typeof manifest>;
export type ManifestTable = z.infer<typeof table>;
export type ManifestFile = z.infer<typeof file>;

export const lakeFolder = (folder: string): string => join(folder, 'lake');
const currentFile = (folder: string) => join(lakeFolder(folder), '_manifest.json');
const versionsFolder = (folder: string) => join(lakeFolder(folder), '_manifests');
export const versionFile = (folder: string, version: number): string =>
  join(versionsFolder(folder), `${String(version).padStart(6, '0')}.json`);

/** The manifest that `_manifest.json` shows, or undefined when nothing was published yet. */
export const readCurrent = (folder: string): Promise<Manifest | undefined> => readManifest(currentFile(folder));

/** The manifest of one version, or undefined when it is not there. */
export const readVersion = (folder: string, version: number): Promise<Manifest | undefined> =>
  readManifest(versionFile(folder, version));

/** The versions that have a manifest, oldest first. */
export async function listVersions(folder: string): Promise<number[]> {
  const names = await readdir(versionsFolder(folder)).catch(() => []);
  return names
    .flatMap((name) => /^(\d{6,})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * The newest version that is complete and can be read, to build the next one on, and the highest number taken. Usually what
 * `_manifest.json` shows; after a kill at the end of a publish, the version after it.
 */
export async function newestManifest(folder: string): Promise<{ before: Manifest | undefined; newest: number }> {
  const current = await readCurrent(folder).catch(() => undefined);
  const newest = Math.max(current?.version ?? 0, ...(await listVersions(folder)));
  const latest = await readVersion(folder, newest).catch(() => undefined);
  return { before: latest ?? current, newest };
}

/** Writes the version's own manifest: from here on the version is complete. */
export const writeVersion = (folder: string, value: Manifest): Promise<void> =>
  writeDurably(versionFile(folder, value.version), textOf(value));

/** Lets `_manifest.json` show the version. */
export const writeCurrent = (folder: string, value: Manifest): Promise<void> =>
  writeDurably(currentFile(folder), textOf(value));

const textOf = (value: Manifest) => `${JSON.stringify(value, undefined, 1)}\n`;

async function readManifest(path: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new FirnError(
      'failed',
      `${path} is not a manifest that this firn can read. Publish again to write a new version: \`firn publish\`.`,
      { cause },
    );
  }
}
