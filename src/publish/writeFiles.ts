import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from './durable.ts';
import { lakeFolder, type ManifestFile, type ManifestTable } from './manifest.ts';
import type { Plan } from './planFiles.ts';
import type { PublishSource } from './publishSource.ts';
import { stopIfAborted } from './stopIfAborted.ts';
import { partitionColumns } from './units.ts';
import { type Outgoing, stagingFolder, writeUnit } from './writeUnit.ts';

export interface WriteOptions {
  readonly version: number;
  readonly signal?: AbortSignal | undefined;
  /** Told after each file: files done and files of the version. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
  /** Called before each file that is written. */
  readonly before?: () => void | Promise<void>;
}

/** Writes the files that the plan does not keep, and returns the tables as the manifest will tell them. */
export async function writeFiles(
  source: PublishSource,
  plan: Plan,
  options: WriteOptions,
): Promise<{ tables: ManifestTable[]; written: number }> {
  const lake = lakeFolder(source.folder);
  await mkdir(join(lake, stagingFolder), { recursive: true });
  const total = plan.tables.reduce((sum, { units }) => sum + units.length, 0);
  const folders = new Set<string>();
  let done = 0;
  let written = 0;
  const tables: ManifestTable[] = [];
  for (const table of plan.tables) {
    const files: ManifestFile[] = [];
    for (const { unit, reused } of table.units) {
      stopIfAborted(options.signal, 'Publishing');
      if (reused) files.push(reused);
      else {
        await options.before?.();
        const file = await writeUnit(source, table, unit, options.version, `${++written}.parquet`);
        for (let at = dirname(file.path); at !== '.'; at = dirname(at)) folders.add(at);
        files.push(file);
      }
      options.progress?.(++done, total);
    }
    tables.push(manifestTable(table, files));
  }
  for (const folder of folders) await syncFolder(join(lake, folder));
  await syncFolder(lake);
  return { tables, written };
}

/** Members in the order of the manifest: two versions are compared by their text. */
function manifestTable({ table, layout, columns }: Outgoing, files: ManifestFile[]): ManifestTable {
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
    partition_columns: [...partitionColumns(layout)],
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    files,
  };
}
