import { dirname, join } from 'node:path';
import PQueue from 'p-queue';
import { syncFolder } from '../../disk/durable.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { lakeFolder, type ManifestFile, type ManifestTable } from '../manifest.ts';
import { stopIfAborted } from '../stopIfAborted.ts';
import type { Plan } from './planFiles.ts';
import type { Outgoing } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { copyUnit, placeUnit, stagingFolder } from './writeUnit.ts';

export interface WriteOptions {
  readonly version: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each file that is written. */
  readonly before?: () => void | Promise<void>;
}

/** Files that are synced and hashed while the next one is written. */
const placedAtOnce = 4;

/**
 * Writes the files that the plan does not keep, and returns the tables as the manifest will name them. While one is written, those before
 * it are synced and hashed, which would take half of the time with many small files.
 */
export async function writeFiles(
  source: PublishSource,
  plan: Plan,
  options: WriteOptions,
): Promise<{ tables: ManifestTable[]; written: number }> {
  const lake = lakeFolder(source.folder);
  await makeFolder(join(lake, stagingFolder));
  const placing = new PQueue({ concurrency: placedAtOnce });
  const tables: { table: Outgoing; files: (ManifestFile | Promise<ManifestFile>)[] }[] = [];
  let written = 0;
  try {
    for (const table of plan.tables) {
      const files: (ManifestFile | Promise<ManifestFile>)[] = [];
      tables.push({ table, files });
      for (const { unit, reused } of table.units) {
        stopIfAborted(options.signal, 'Publishing');
        if (reused) {
          files.push(reused);
          continue;
        }
        await options.before?.();
        const path = join(lake, stagingFolder, `${++written}.parquet`);
        await copyUnit(source, table, unit, path);
        const placed = placing.add(() => placeUnit(lake, table, unit, options.version, path));
        // Its error is thrown below; until then it must not count as unhandled.
        placed.catch(() => {});
        files.push(placed);
      }
    }
  } finally {
    await placing.onIdle();
  }
  const outgoing: ManifestTable[] = [];
  for (const { table, files } of tables) outgoing.push(manifestTable(table, await Promise.all(files)));
  const reused = new Set(plan.tables.flatMap(({ units }) => units.map((planned) => planned.reused?.path)));
  const added = outgoing.flatMap(({ files }) => files.filter(({ path }) => !reused.has(path)));
  const folders = new Set(added.flatMap(({ path }) => foldersAbove(path)));
  for (const folder of folders) await syncFolder(join(lake, folder));
  await syncFolder(lake);
  return { tables: outgoing, written };
}

/** The folders of a relative path, from the innermost out. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

/** Members in the order of the manifest: versions are compared by their text. */
function manifestTable({ table, columns }: Outgoing, files: ManifestFile[]): ManifestTable {
  const parquetType = new Map(columns.filter(({ extra }) => !extra).map(({ name, type }) => [name, type]));
  return {
    schema: table.schema,
    name: table.name,
    comment: table.comment,
    columns: table.columns.map(({ name, type, comment }) => ({
      name,
      type,
      parquet_type: parquetType.get(name) ?? type,
      comment,
    })),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    files,
  };
}
