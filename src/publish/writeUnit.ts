import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FirnError } from '../core/firnError.ts';
import { qualified } from '../core/sqlText.ts';
import { refuseLink } from '../load/refuseLinks.ts';
import { copySql, rowGroupRows, variableBytesSql, vectorRows } from './copySql.ts';
import { sha256File, syncFile } from './durable.ts';
import type { ManifestFile } from './manifest.ts';
import type { CatalogueTable } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import type { TableLayout } from './tableLayout.ts';
import type { ParquetColumn } from './typeProfile.ts';
import { partitionColumns, type Unit } from './units.ts';

/** A table on its way to Parquet. */
export interface Outgoing {
  readonly table: CatalogueTable;
  readonly layout: TableLayout;
  readonly columns: readonly ParquetColumn[];
}

/** Folder inside the lake where files are written before they get their names. */
export const stagingFolder = '_staging';

/**
 * Writes the rows of a unit to a file under a staging name; `placeUnit` gives it its own.
 *
 * @param path of the file inside the staging folder
 * @throws FirnError `failed` when the table changed while it was published
 */
export async function copyUnit(
  source: PublishSource,
  { table, layout, columns }: Outgoing,
  unit: Unit,
  path: string,
): Promise<void> {
  await rm(path, { force: true });
  const groupRows = rowGroupRows(unit.rows, await variableBytes(source, table, unit));
  const [copied] = await source.query<{ Count: bigint }>(
    copySql({ table, layout, columns, condition: unit.condition, rowGroupRows: groupRows, path }),
  );
  if (Number(copied?.Count) !== unit.rows) {
    throw new FirnError(
      'failed',
      `${table.schema}.${table.name} changed while it was published (${unit.rows} rows counted, ${copied?.Count} written). ` +
        'Nothing of it became visible; run `firn publish` again.',
    );
  }
}

/** Syncs a unit's file, hashes it, and gives it its name: `COPY` does none of that. */
export async function placeUnit(
  lake: string,
  { table, layout }: Outgoing,
  unit: Unit,
  version: number,
  path: string,
): Promise<ManifestFile> {
  await syncFile(path);
  const sha256 = await sha256File(path);
  const { size } = await stat(path);
  const relative = `${unitFolder(table, layout, unit)}/${fileName(unit, version, sha256)}`;
  const final = join(lake, relative);
  for (let at = dirname(final); at !== lake; at = dirname(at)) await refuseLink(at);
  await mkdir(dirname(final), { recursive: true });
  await rename(path, final);
  return {
    path: relative,
    unit: unit.key,
    partition: [...unit.partition],
    rows: unit.rows,
    bytes: size,
    sha256,
    fingerprint: unit.fingerprint,
    first: unit.first,
    last: unit.last,
  };
}

/** Bytes of the unit's columns of varying width; not asked for where one row group holds the unit anyway. */
async function variableBytes(source: PublishSource, table: CatalogueTable, unit: Unit): Promise<number> {
  if (unit.rows <= vectorRows) return 0;
  const [width] = await source.query<{ bytes: bigint | null }>(
    `SELECT ${variableBytesSql(table)} AS bytes FROM ${qualified(table)} WHERE ${unit.condition}`,
  );
  return Number(width?.bytes ?? 0);
}

/** `raw/node_containers/index_name=C%2Fblock/month=2026-01`: hive folders, values percent-encoded as hive readers expect. */
function unitFolder(table: CatalogueTable, layout: TableLayout, unit: Unit): string {
  const names = partitionColumns(layout);
  const levels = unit.partition.map(
    (value, level) => `${names[level]}=${value === null ? '__HIVE_DEFAULT_PARTITION__' : hiveValue(value)}`,
  );
  return [table.schema, table.name, ...levels].join('/');
}

const hiveValue = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*.~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** `1024-2047-v000007-3f0c….parquet`: what it holds, since when, and its content. */
function fileName(unit: Unit, version: number, sha256: string): string {
  const bound = (text: string | null) => text?.replace(/[^0-9A-Za-z]/g, '') ?? '';
  const range = unit.first === null ? 'all' : `${bound(unit.first)}-${bound(unit.last)}`;
  return `${range}-v${String(version).padStart(6, '0')}-${sha256.slice(0, 12)}.parquet`;
}

/** The version that wrote a file of this name, or undefined when publish did not make it. */
export function versionOfFile(name: string): number | undefined {
  const version = /-v(\d{6,})-[0-9a-f]{12}\.parquet$/.exec(name)?.[1];
  return version === undefined ? undefined : Number(version);
}
