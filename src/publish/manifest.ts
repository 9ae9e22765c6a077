import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FirnError } from '../core/firnError.ts';
import { replaceFile } from '../disk/durable.ts';
import { listFolder } from '../disk/listFolder.ts';
import { sha256 } from '../load/sha256.ts';

/** A manifest may come from anybody: what becomes SQL or part of a path has a known shape; all other text stays text. */
const schemaName = z.string().regex(/^(raw|staging|mart|refs|firn|main)$/);
const count = z.number().int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const name = z
  .string()
  .min(1)
  .max(255)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names must not have any.
  .regex(/^[^\u0000-\u001f\u007f]+$/);
/** One word, digits for a DECIMAL, and lists of them. */
const parquetType = z.string().regex(/^(DECIMAL\(\d+,\d+\)|[A-Z]+)(\[\])*$/);
const path = z
  .string()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: paths must not have any.
  .regex(/^(raw|staging|mart|refs)(\/[^/\\\u0000-\u001f]+)+\.parquet$/)
  .refine((text) => !text.split('/').some((part) => part === '.' || part === '..'));

/** An expression that a model gives no name is called by its whole text, lines and all. */
const columnName = z.string().regex(/^[^\0]+$/);

const column = z.object({
  name: columnName,
  /** DuckDB type in the reader database. */
  type: z.string(),
  /** DuckDB type of the Parquet column; the Arrow and Parquet types follow from it. */
  parquet_type: parquetType,
  comment: z.string().nullable(),
});

const file = z.object({
  /** Relative to the lake folder, with `/`. */
  path,
  /** Rows that are written together: the whole table (`[]`), or a chain's between two bounds. */
  unit: z.string(),
  rows: count,
  bytes: z.number().int().positive(),
  sha256: hash,
  /** Changes whenever a row of the unit does. */
  fingerprint: z.string(),
  first: z.string().nullable(),
  last: z.string().nullable(),
});

const table = z.object({
  schema: schemaName,
  name,
  comment: z.string().nullable(),
  columns: z.array(column),
  /** Columns that stand in the names of folders instead of the files, as firn 0.1 wrote them. */
  partition_columns: z.array(name).optional(),
  rows: count,
  files: z.array(file),
});

/** The statement itself is never read from here: only its hash, which shows that it changed. */
const definition = z.object({ schema: schemaName, name, sql_sha256: hash.optional() });

const view = definition.extend({
  comment: z.string().nullable(),
  columns: z.array(z.object({ name: columnName, comment: z.string().nullable() })),
});

const manifest = z.object({
  /** 1: written by an older firn, without a hash of its own. */
  format: z.literal([1, 2]),
  version: z.number().int().positive(),
  run_id: z.string(),
  published_at: z.iso.datetime(),
  tables: z.array(table),
  views: z.array(view),
  macros: z.array(definition),
  /** Relations that stay as the version before had them (those it lacked are absent): see `firn.held_back`. */
  held_back: z.array(z.string()).default([]),
  /** In the current version: SHA-256 of the reader databases in use and, while they are replaced, of those to come. */
  readers: z.array(hash).optional(),
});

/** Everything one published version consists of. Written last; what it does not name is not part of the version. */
export type Manifest = z.infer<typeof manifest>;
export type ManifestTable = z.infer<typeof table>;
export type ManifestFile = z.infer<typeof file>;

export const lakeFolder = (folder: string): string => join(folder, 'lake');
/** The file that shows which version readers see. */
export const currentFile = (folder: string): string => join(lakeFolder(folder), '_manifest.json');
const versionsFolder = (folder: string) => join(lakeFolder(folder), '_manifests');
/** A version in names of files and folders, which are then in the order of their versions. */
export const versionText = (version: number): string => String(version).padStart(6, '0');
export const versionFile = (folder: string, version: number): string =>
  join(versionsFolder(folder), `${versionText(version)}.json`);

/** The manifest that `_manifest.json` shows, or undefined when nothing was published yet. */
export const readCurrent = (folder: string): Promise<Manifest | undefined> => readManifest(currentFile(folder));

/** The manifest of one version, or undefined when it is not there. */
export const readVersion = (folder: string, version: number): Promise<Manifest | undefined> =>
  readManifest(versionFile(folder, version));

/** A manifest; undefined where there is none, or a damaged one. One that cannot be read may be whole: that stays an error. */
export async function ifWhole(reading: Promise<Manifest | undefined>): Promise<Manifest | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof FirnError) return undefined;
    throw error;
  }
}

/** The versions that have a manifest, oldest first. */
export async function listVersions(folder: string): Promise<number[]> {
  return (await listFolder(versionsFolder(folder)))
    .flatMap(({ name }) => /^(\d{6,})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * The newest version that is complete and can be read, to build the next one on, and the highest number taken. Usually what
 * `_manifest.json` shows; after a kill at the end of a publish, the version after it.
 */
export async function newestManifest(folder: string): Promise<{ before: Manifest | undefined; newest: number }> {
  const current = await ifWhole(readCurrent(folder));
  const newest = Math.max(current?.version ?? 0, ...(await listVersions(folder)));
  const latest = await ifWhole(readVersion(folder, newest));
  return { before: latest ?? current, newest };
}

/** Writes the version's own manifest: from here on the version is complete. */
export const writeVersion = (folder: string, value: Manifest): Promise<void> =>
  replaceFile(versionFile(folder, value.version), textOf(value));

/** Lets `_manifest.json` show the version, and say which reader databases are whole. */
export const writeCurrent = (folder: string, value: Manifest, readers: readonly string[]): Promise<void> =>
  replaceFile(currentFile(folder), textOf({ ...value, readers: [...readers] }));

/** The last member is the hash of the text before it. */
function textOf(value: Manifest): string {
  const body = JSON.stringify({ ...value, format: 2 }, undefined, 1).replace(/\n\}$/, '');
  return body + tailOf(body);
}

const tailOf = (body: string) => `,\n "sha256": "${sha256(body)}"\n}\n`;

/** @throws where the text is not what was written, or not of the shape of a manifest */
function parseManifest(text: string): Manifest {
  const parsed = manifest.parse(JSON.parse(text));
  const body = text.slice(0, -tailOf('').length);
  if (parsed.format === 2 && text !== body + tailOf(body)) throw new Error('its SHA-256 differs');
  return parsed;
}

async function readManifest(path: string): Promise<Manifest | undefined> {
  // All bytes that are not UTF-8 become the same character, and must not pass for it.
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw unreadable(path, error);
  }
  try {
    return parseManifest(text);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

const unreadable = (path: string, cause: unknown) =>
  new FirnError(
    'failed',
    `${path} is damaged, or not a manifest that this firn can read. Run \`firn publish\`: it rewrites it.`,
    { cause },
  );

/**
 * Notes the SHA-256 of reader databases before they replace those in use, beside the hashes of these: a kill at any moment
 * leaves bytes that the manifest knows. After the swap, `writeCurrent` says which ones count.
 */
export async function announceReaders(folder: string, hashes: readonly string[]): Promise<void> {
  const current = await ifWhole(readCurrent(folder));
  if (current) await writeCurrent(folder, current, [...new Set([...(current.readers ?? []), ...hashes])]);
}
