import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FirnError } from '../../core/firnError.ts';
import type { KnownGap } from '../../core/knownGap.ts';
import { harmOfReader } from '../harmOf.ts';
import { lakeFolder, listVersions, type Manifest, type ManifestFile, readCurrent, readVersion } from '../manifest.ts';
import { ownReaderFile, readerFile } from '../reader/readerPaths.ts';
import { readerVersion } from '../reader/readerVersion.ts';
import type { Failure, Watch } from './failure.ts';
import { knownGaps, knownUnread } from './knownGaps.ts';
import { connectLake } from './lakeConnection.ts';
import { type Chain, verifyContinuity } from './verifyContinuity.ts';
import { findForeign, verifyFiles } from './verifyFiles.ts';
import { verifyLoads } from './verifyLoads.ts';
import { verifyReader } from './verifyReader.ts';
import { verifyRows } from './verifyRows.ts';

/** One verdict over what readers see. */
export interface LakeVerdict {
  readonly ok: boolean;
  readonly version: number;
  readonly files: number;
  readonly bytes: number;
  readonly rows: number;
  readonly failures: readonly Failure[];
  /** Positions that are known to be missing: no harm. */
  readonly knownGaps: readonly KnownGap[];
}

interface LakeChecks extends Watch {
  /** The tables whose rows must follow each other, as streams declare it. */
  readonly chains: readonly Chain[];
}

/** How often harm is looked for again where something was published meanwhile: that may go on for ever. */
const mostRepeats = 2;

/**
 * Reads everything published again: hashes every file of every kept version, counts rows from load to Parquet footer, and checks
 * that indexes, heights and parent hashes follow each other. Changes nothing and needs no lock.
 *
 * @throws FirnError `not_found` when nothing was published yet, `interrupted`
 */
export async function verifyLake(folder: string, options: LakeChecks): Promise<LakeVerdict> {
  for (let left = mostRepeats; ; left--) {
    const seen = await whatIsShown(folder);
    const verdict = await verifyVersion(folder, seen, options).catch((error: Error) => error);
    // A publish that ended meanwhile may have removed files before the reader database was held open.
    const isSure = verdict instanceof Error ? verdict instanceof FirnError : verdict.ok;
    if (!isSure && left > 0 && !isDeepStrictEqual(await whatIsShown(folder), seen)) continue;
    if (verdict instanceof Error) throw verdict;
    return verdict;
  }
}

interface Seen {
  /** Of the version that readers see. A publish that was ended at its very end leaves `_manifest.json` one version behind, the first one none. */
  readonly manifest: Manifest;
  /** The version that the reader database says it shows; 0 where it cannot tell. */
  readonly shown: number;
}

async function whatIsShown(folder: string): Promise<Seen> {
  const current = await readCurrent(folder);
  const shown = await readerVersion(readerFile(folder));
  const newer = shown > (current?.version ?? 0) ? await readVersion(folder, shown) : undefined;
  const manifest = newer ? { ...newer, readers: current?.readers } : current;
  if (!manifest && shown > 0)
    throw new FirnError(
      'failed',
      `The files of version ${shown}, which was published in ${folder}, are missing. Run \`firn publish\`: it writes them again.`,
    );
  if (!manifest)
    throw new FirnError(
      'not_found',
      `Nothing was published in ${folder} yet. Run \`firn run\` first, or name the folder in which the warehouse is.`,
    );
  return { manifest, shown };
}

async function verifyVersion(folder: string, { manifest, shown }: Seen, options: LakeChecks): Promise<LakeVerdict> {
  const current = manifest.tables.flatMap((table) => table.files);
  const readers = [...new Set([readerFile(folder), ownReaderFile(folder)])].filter(existsSync);
  // `verifyReader` tells where it shows another version.
  const judged = [0, manifest.version].includes(shown)
    ? readers
    : readers.filter((file) => file !== readerFile(folder));
  const harms = await harmedReaders(folder, judged);
  if (!existsSync(readerFile(folder)))
    harms.push({ check: 'reader', item: 'analytics.duckdb', message: 'the file is missing; run `firn publish`' });
  // A damaged one may say anything.
  const reader = harms.length === 0 ? readers.find((file) => file === readerFile(folder)) : undefined;
  const lake = await connectLake(folder, reader);
  const failures: Failure[] = [];
  let gaps: readonly KnownGap[] = [];
  let unread: readonly KnownGap[] = [];
  try {
    const before = await filesOfVersions(folder, current);
    const found = await verifyFiles(folder, [...before.values()], options);
    const newest = (await listVersions(folder)).at(-1) ?? manifest.version;
    // Meanwhile a publish may have made a version, and removed older ones.
    const named = await filesOfVersions(folder, current);
    const harmed = found.filter(({ item }) => named.has(item));
    failures.push(...harmed, ...(await findForeign(folder, new Set([...before.keys(), ...named.keys()]), newest)));
    failures.push(...harms);
    // A damaged file may contain anything: its tables are left out of the rest.
    const bad = new Set(harmed.map(({ item }) => item));
    const whole = manifest.tables.filter((table) => !table.files.some(({ path }) => bad.has(path)));
    await lake.show(whole);
    if (reader) [gaps, unread] = [await knownGaps(lake), await knownUnread(lake)];
    failures.push(
      ...(await verifyRows(lake, whole, lakeFolder(folder))),
      ...(await verifyContinuity(lake, whole, options.chains, [...gaps, ...unread])),
    );
    if (reader) failures.push(...(await verifyReader(lake, manifest)), ...(await verifyLoads(lake, whole)));
  } finally {
    lake.close();
  }
  return {
    ok: failures.length === 0,
    version: manifest.version,
    files: current.length,
    bytes: current.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    failures,
    knownGaps: gaps,
  };
}

/** Reader databases whose bytes are not those that were published. */
async function harmedReaders(folder: string, readers: readonly string[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const file of readers) {
    const harm = await harmOfReader(folder, file);
    const message = `${harm}; \`firn publish\` writes it again`;
    if (harm !== undefined) failures.push({ check: 'reader', item: relative(folder, file), message });
  }
  return failures;
}

/** Every file that a kept version names, by path. */
async function filesOfVersions(folder: string, current: readonly ManifestFile[]): Promise<Map<string, ManifestFile>> {
  const files = new Map(current.map((file) => [file.path, file]));
  for (const version of await listVersions(folder)) {
    const manifest = await readVersion(folder, version);
    for (const table of manifest?.tables ?? []) for (const file of table.files) files.set(file.path, file);
  }
  return files;
}
