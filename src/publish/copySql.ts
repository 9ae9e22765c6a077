import { identifier, literal, qualified } from '../core/sqlText.ts';
import type { CatalogueTable } from './publishedTables.ts';
import type { TableLayout } from './tableLayout.ts';
import type { ParquetColumn } from './typeProfile.ts';

/** Rows of a row group when rows are narrow: what DuckDB, Spark and Arrow readers work well with. */
const maxGroupRows = 122_880;
/** DuckDB's vector: the least a row group may hold, and what its size is a multiple of. */
export const vectorRows = 2_048;
/** Uncompressed bytes of a row group at most: a reader holds one of them in memory. */
const groupBytes = 64 * 1024 * 1024;

/** Rows of a row group for rows of this width (containers and call data can be tens of kilobytes each). */
export function rowGroupRows(rows: number, variableBytes: number): number {
  if (rows === 0 || variableBytes === 0) return maxGroupRows;
  const fitting = Math.floor(groupBytes / (variableBytes / rows) / vectorRows) * vectorRows;
  return Math.min(maxGroupRows, Math.max(vectorRows, fitting));
}

/** Bytes of the columns of varying width, as an SQL sum. */
export function variableBytesSql(table: CatalogueTable): string {
  const widths = table.columns.flatMap(({ name, type }) => {
    if (type === 'BLOB') return [`octet_length(${identifier(name)})`];
    if (type === 'VARCHAR') return [`strlen(${identifier(name)})`];
    return [];
  });
  return `CAST(sum(${widths.map((width) => `coalesce(${width}, 0)`).join(' + ') || '0'}) AS BIGINT)`;
}

/**
 * The statement that writes one unit to one file. Rows are in a total order (the sort columns, then a hash of the whole
 * row), so that the same rows always give the same bytes; columns that are folders are not in the file.
 */
export function copySql(options: {
  readonly table: CatalogueTable;
  readonly layout: TableLayout;
  readonly columns: readonly ParquetColumn[];
  readonly condition: string;
  readonly rowGroupRows: number;
  readonly path: string;
}): string {
  const { table, layout, columns, condition, path } = options;
  const selected = columns
    .filter(({ name }) => !(layout.by && name === layout.chain))
    .map(({ name, expression }) => `${expression} AS ${identifier(name)}`);
  const whole = `hash(${table.columns.map(({ name }) => identifier(name)).join(', ')})`;
  const order = [...layout.sort.map((column) => `${qualified(table)}.${identifier(column)} NULLS FIRST`), whole];
  return (
    `COPY (SELECT ${selected.join(', ')} FROM ${qualified(table)} WHERE ${condition} ORDER BY ${order.join(', ')}) ` +
    `TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${options.rowGroupRows}, USE_TMP_FILE false)`
  );
}
