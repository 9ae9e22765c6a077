import { identifier, literal } from '../../core/text/sqlText.ts';
import { escapeGlob } from '../../load/database/openDuckDb.ts';
import type { ManifestTable } from '../manifest.ts';

type Column = ManifestTable['columns'][number];

/**
 * The SELECT of the view that shows one published table: exactly the files of one version, the table's own columns and types.
 *
 * @param lake absolute path of the lake folder as readers see it
 */
export function selectFiles(table: ManifestTable, lake: string): string {
  if (table.files.length === 0) return emptySelect(table.columns, readerType);
  const columns = table.columns.map((column) => {
    const name = identifier(column.name);
    const wanted = readerType(column);
    return wanted === column.parquet_type ? name : `CAST(${name} AS ${wanted}) AS ${name}`;
  });
  const files = table.files.map(({ path }) => literal(escapeGlob(`${lake}/${path}`)));
  return `SELECT ${columns.join(', ')} FROM read_parquet([${files.join(', ')}], ${hive(table)})`;
}

/** A SELECT of no rows with these columns. */
export const emptySelect = (columns: readonly Column[], typeOf: (column: Column) => string): string =>
  `SELECT ${columns.map((column) => `CAST(NULL AS ${typeOf(column)}) AS ${identifier(column.name)}`).join(', ')} WHERE false`;

/** Unsigned 64-bit columns are cast back, so that SQL written for the state database gives the same result here. */
export const readerType = ({ type, parquet_type }: Column): string => (type === 'UBIGINT' ? type : parquet_type);

function hive({ partition_columns: folders = [] }: ManifestTable): string {
  if (folders.length === 0) return 'hive_partitioning = false';
  const types = folders.map((name) => `${literal(name)}: VARCHAR`);
  return `hive_partitioning = true, hive_types = {${types.join(', ')}}`;
}
