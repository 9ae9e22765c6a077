import { rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { nameOf } from '../../core/text/sqlText.ts';
import { syncFile } from '../../disk/durable.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { sha256File } from '../../disk/sha256File.ts';
import { refuseLink } from '../../load/state/refuseLinks.ts';
import { lakeFolder, type ManifestFile, versionText } from '../manifest.ts';
import { copySql, rowGroupRows, variableBytesSql, vectorRows } from './copySql.ts';
import { type CatalogueTable, type Outgoing, rowsIn } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import type { Unit } from './units.ts';

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
    copySql({ table, layout, columns, condition: unit.condition, rowGroupRows: groupRows, rows: unit.rows, path }),
  );
  if (Number(copied?.Count) !== unit.rows)
    throw new FirnError(
      'failed',
      `${nameOf(table)} changed while it was published (${unit.rows} rows counted, ${copied?.Count} written). ` +
        'Nothing of it became visible; run `firn publish` again.',
    );
}

/** Rows of a table that are written to learn how many bytes they take. */
const sampleRows = 20_000;

/** Bytes that a row takes in a file, measured on a part of the table. */
export async function bytesPerRow(
  source: Pick<PublishSource, 'folder' | 'query'>,
  { table, columns, layout }: Outgoing,
): Promise<number> {
  const path = join(lakeFolder(source.folder), stagingFolder, 'sample.parquet');
  await makeFolder(dirname(path));
  const condition = 'true';
  const [copied] = await source.query<{ Count: bigint }>(
    copySql({ table, layout, columns, condition, rowGroupRows: sampleRows, rows: sampleRows, path, limit: sampleRows }),
  );
  const { size } = await stat(path);
  await rm(path, { force: true });
  return size / Number(copied?.Count);
}

/** Syncs a unit's file, hashes it, and gives it its name: `COPY` does none of this. */
export async function placeUnit(
  lake: string,
  { table }: Outgoing,
  unit: Unit,
  version: number,
  path: string,
): Promise<ManifestFile> {
  await syncFile(path);
  const sha256 = await sha256File(path);
  const { size } = await stat(path);
  const relative = `${table.schema}/${table.name}/${fileName(unit, version, sha256)}`;
  const final = join(lake, relative);
  for (let at = dirname(final); at !== lake; at = dirname(at)) await refuseLink(at);
  await makeFolder(dirname(final));
  await rename(path, final);
  return {
    path: relative,
    unit: unit.key,
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
    `SELECT ${variableBytesSql(table.columns)} AS bytes FROM ${rowsIn(table)} WHERE ${unit.condition}`,
  );
  return Number(width?.bytes ?? 0);
}

/**
 * `43114-20260101-20260228-v000007-3f0c….parquet`: what it holds, since which version, and the hash of its content. All files of a table lie in
 * one folder: from folders named `chain_id=43114` DuckDB and Spark make numbers, and pandas refuses them beside a column of that name.
 */
function fileName(unit: Unit, version: number, sha256: string): string {
  const plain = (text: string | null) => text?.replace(/[^0-9A-Za-z]+/g, '_').slice(0, 80) ?? 'none';
  const day = (text: string | null) => text?.replace(/ .*$/, '').replace(/[^0-9A-Za-z]/g, '') ?? 'none';
  const held = unit.key === '[]' ? 'all' : [plain(unit.chain), day(unit.first), day(unit.last)].join('-');
  return `${held}-v${versionText(version)}-${sha256.slice(0, 12)}.parquet`;
}

/** The version that wrote a file of this name, or undefined when publish did not make it. */
export function versionOfFile(name: string): number | undefined {
  const version = /-v(\d{6,})-[0-9a-f]{12}\.parquet$/.exec(name)?.[1];
  return version === undefined ? undefined : Number(version);
}
