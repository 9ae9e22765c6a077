import { identifier, literal, qualified } from '../core/sqlText.ts';
import { escapeGlob } from '../load/escapeGlob.ts';
import type { ManifestTable } from './manifest.ts';

/**
 * The view that shows one published table: exactly the files of one version, the table's own columns and types.
 *
 * @param lake absolute path of the lake folder as readers see it
 */
export function readerViewSql(table: ManifestTable, lake: string): string {
  return `CREATE VIEW ${qualified(table)} AS ${selectFiles(table, lake)}`;
}

/** The SELECT of that view. */
export function selectFiles(table: ManifestTable, lake: string): string {
  const columns = table.columns.map((column) => {
    const name = identifier(column.name);
    const wanted = readerType(column);
    if (table.files.length === 0) return `CAST(NULL AS ${wanted}) AS ${name}`;
    return wanted === column.parquet_type ? name : `CAST(${name} AS ${wanted}) AS ${name}`;
  });
  if (table.files.length === 0) return `SELECT ${columns.join(', ')} WHERE false`;
  const files = table.files.map(({ path }) => literal(escapeGlob(`${lake}/${path}`)));
  return `SELECT ${columns.join(', ')} FROM read_parquet([${files.join(', ')}], ${hive(table)})`;
}

/** Unsigned 64-bit columns come back as such, so that SQL written for the state database gives the same here. */
export const readerType = ({ type, parquet_type }: ManifestTable['columns'][number]): string =>
  type === 'UBIGINT' ? type : parquet_type;

function hive({ partition_columns: folders = [] }: ManifestTable): string {
  if (folders.length === 0) return 'hive_partitioning = false';
  const types = folders.map((name) => `${literal(name)}: VARCHAR`);
  return `hive_partitioning = true, hive_types = {${types.join(', ')}}`;
}
