import type { Layout } from '../../core/columns/layout.ts';
import type { ParquetColumn, SourceColumn } from '../../core/columns/parquetColumns.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { type CatalogueTable, rowsIn } from './publishedTables.ts';

/** Rows of a row group when rows are narrow: what DuckDB, Spark and Arrow readers work well with. */
const maxGroupRows = 122_880;
/** DuckDB's vector: the fewest rows of a row group, whose size is a multiple of it. */
export const vectorRows = 2_048;
/** Bytes of a text column's dictionary in a row group at most: hashes of 122,880 rows take half of it, call data is left out. */
const dictionaryBytes = 16 * 1024 * 1024;
/** Uncompressed bytes of a row group at most: a reader holds one of them in memory. */
const groupBytes = 64 * 1024 * 1024;

/** Rows of a row group for rows of this width (containers and call data can be tens of kilobytes each). */
export function rowGroupRows(rows: number, variableBytes: number): number {
  if (rows === 0 || variableBytes === 0) return maxGroupRows;
  const fitting = Math.floor(groupBytes / (variableBytes / rows) / vectorRows) * vectorRows;
  return Math.min(maxGroupRows, Math.max(vectorRows, fitting));
}

/** Bytes of the columns of varying width, as an SQL sum. */
export function variableBytesSql(columns: readonly Pick<SourceColumn, 'name' | 'type'>[]): string {
  const widths = columns.flatMap(({ name, type }) => {
    if (type === 'BLOB') return [`octet_length(${identifier(name)})`];
    if (type === 'VARCHAR') return [`strlen(${identifier(name)})`];
    return [];
  });
  return `CAST(sum(${widths.map((width) => `coalesce(${width}, 0)`).join(' + ') || '0'}) AS BIGINT)`;
}

/**
 * The statement that writes one unit to one file. Rows are in a total order (the sort columns, then a hash of the whole
 * row), so that the same rows always give the same bytes. DuckDB writes
 * bloom filters for columns that have a dictionary: with them hashes and addresses are found without reading files that lack them.
 */
export function copySql(options: {
  readonly table: CatalogueTable;
  readonly layout: Layout;
  readonly columns: readonly ParquetColumn[];
  readonly condition: string;
  readonly rowGroupRows: number;
  /**
   * How many rows there are at most: DuckDB clears the memory of every column's dictionary beforehand, which takes longer than to write a small
   * file.
   */
  readonly rows: number;
  readonly path: string;
  /** Takes this many rows, in no particular order. */
  readonly limit?: number;
}): string {
  const { table, layout, columns, condition, rowGroupRows, path } = options;
  const values = isByAddress(options) ? vectorRows : Math.min(rowGroupRows, Math.max(options.rows, vectorRows));
  const selected = columns.map(({ name, expression }) => `${expression} AS ${identifier(name)}`);
  const whole = `hash(${table.columns.map(({ name }) => identifier(name)).join(', ')})`;
  const by = [...layout.sort.map((column) => `${rowsIn(table)}.${identifier(column)} NULLS FIRST`), whole];
  const order = options.limit === undefined ? `ORDER BY ${by.join(', ')}` : `LIMIT ${options.limit}`;
  return (
    `COPY (SELECT ${selected.join(', ')} FROM ${rowsIn(table)} WHERE ${condition} ${order}) ` +
    `TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}, USE_TMP_FILE false, ` +
    `DICTIONARY_SIZE_LIMIT ${values}, STRING_DICTIONARY_PAGE_SIZE_LIMIT ${dictionaryBytes})`
  );
}

/**
 * Whether rows are in the order of a text that comes once a chain. By that it is found; dictionaries of what is nowhere the same make a file a
 * sixth larger, and take a third of the time.
 */
const isByAddress = ({ table, layout }: Pick<Parameters<typeof copySql>[0], 'table' | 'layout'>): boolean => {
  const [chain, key, ...others] = layout.sort;
  const isText = table.columns.some(({ name, type }) => name === key && type === 'VARCHAR');
  return chain === 'chain_id' && isText && others.length === 0;
};
