import { join } from 'node:path';
import type { Layouts } from '../../core/columns/layout.ts';
import { parquetColumns } from '../../core/columns/parquetColumns.ts';
import { nameOf } from '../../core/text/sqlText.ts';
import { harmOf } from '../harmOf.ts';
import {
  lakeFolder,
  listVersions,
  type Manifest,
  type ManifestFile,
  type ManifestTable,
  readVersion,
} from '../manifest.ts';
import type { CatalogueTable, Outgoing } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { readNews } from './readNews.ts';
import { findUnits, type Unit } from './units.ts';
import { bytesPerRow } from './writeUnit.ts';

export interface FilePlanOptions {
  /** How relations are cut and ordered: a table without a layout is one file, a view without one has no files. */
  readonly layouts?: Layouts;
  /** Rows of a month or a million heights above which it is cut by day or by 100,000 heights. Default: 2,000,000. */
  readonly maxRows?: number;
  /** Bytes to which the files of a large table are filled. Default: 2 MiB. */
  readonly fileBytes?: number;
  /** Hash every file before it is kept, so that one that was damaged on the disk is written again; and look at all as `afresh` does. */
  readonly rehash?: boolean | undefined;
  /** Look at every value, whatever loads and builds say of what they changed. */
  readonly afresh?: boolean;
  /** Bytes that a row of a relation takes in a file. By default a part of it is written to learn that. */
  readonly measure?: (item: Outgoing) => Promise<number>;
}

/** Rows of a month above which it is cut by day, and of a view above which it is not computed as a whole. */
export const mostRows = 2_000_000;

interface PlannedTable extends Outgoing {
  /** Units, each with the file of the version before where that holds the same rows. */
  readonly units: readonly { readonly unit: Unit; readonly reused: ManifestFile | undefined }[];
}

export interface Plan {
  readonly tables: readonly PlannedTable[];
  /** Tables that are held back, as the version before has them; one that has lost a file is absent. */
  readonly kept: readonly ManifestTable[];
  /** Files of the version before (where they were hashed: of any version) that are gone or not what was published. */
  readonly harmed: ReadonlySet<string>;
}

/**
 * Says of every unit of relations whether its file can be kept or must be written.
 *
 * @param relations all that have files and are not held back
 * @param held relations that stay as the version before has them
 * @throws FirnError `contract` for columns that Parquet cannot hold exactly
 */
export async function planFiles(
  source: Pick<PublishSource, 'folder' | 'query'>,
  relations: readonly CatalogueTable[],
  before: Manifest | undefined,
  held: ReadonlySet<string>,
  options: FilePlanOptions,
): Promise<Plan> {
  const outgoing = relations.map((table): Outgoing => {
    const layout = options.layouts?.get(nameOf(table)) ?? { sort: [] };
    return { table, layout, columns: parquetColumns(table) };
  });
  const harmed = await findHarmed(source.folder, before, options.rehash ?? false);
  const unitOptions = {
    maxRows: options.maxRows ?? mostRows,
    fileBytes: options.fileBytes ?? 2 << 20,
    stateId: await stateId(source),
  };
  const newsOf = options.rehash || options.afresh ? async () => null : await readNews(source, before);
  const { measure = (item) => bytesPerRow(source, item) } = options;
  const tables: PlannedTable[] = [];
  for (const item of outgoing) {
    const { schema, name } = item.table;
    const old = before?.tables.find((table) => table.schema === schema && table.name === name)?.files ?? [];
    const files = new Map(old.filter(({ path }) => !harmed.has(path)).map((file) => [file.unit, file]));
    const units = await findUnits(source, item, {
      ...unitOptions,
      before: old,
      news: await newsOf(item),
      measure: () => measure(item),
    });
    const planned = units.map((unit) => {
      const file = files.get(unit.key);
      return { unit, reused: file?.fingerprint === unit.fingerprint ? file : undefined };
    });
    tables.push({ ...item, units: planned });
  }
  const kept = (before?.tables ?? []).filter(
    (table) => held.has(nameOf(table)) && !table.files.some(({ path }) => harmed.has(path)),
  );
  return { tables, kept, harmed };
}

/** Whether a relation has files of its own: tables outside of `firn`, and the views that are declared to have them. */
export const isInFiles = (table: CatalogueTable, layouts: Layouts | undefined): boolean =>
  table.schema !== 'firn' && (table.viewSql === undefined || layouts?.has(nameOf(table)) === true);

/** Looks at the version before; where files are hashed, at every version that is kept, so that nothing harmed stays. */
async function findHarmed(folder: string, before: Manifest | undefined, rehash: boolean): Promise<ReadonlySet<string>> {
  const versions = rehash ? await listVersions(folder) : [];
  const manifests = [before, ...(await Promise.all(versions.map((version) => readVersion(folder, version))))];
  const files = manifests.flatMap((manifest) => manifest?.tables.flatMap((table) => table.files) ?? []);
  const harmed = new Set<string>();
  for (const file of new Map(files.map((one) => [one.path, one])).values())
    if (await harmOf(join(lakeFolder(folder), file.path), file, rehash)) harmed.add(file.path);
  return harmed;
}

/** Tells this state database apart from a new one in the same folder. */
async function stateId(source: Pick<PublishSource, 'query'>): Promise<string> {
  const rows = await source.query<{ made: string }>(
    'SELECT CAST(min(applied_at) AS VARCHAR) AS made FROM main.firn_schema_version',
  );
  return rows[0]?.made ?? '';
}
