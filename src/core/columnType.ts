/**
 * How a column is held: the one list from which the DuckDB type and the Arrow type (`arrowBatch`) follow.
 * `timestamp` values are microseconds since the epoch, UTC. `json` is JSON text. `varchars` is a list of text. `decimal18` values are
 * counted in 10^-18.
 */
export type ColumnType =
  | 'varchar'
  | 'varchars'
  | 'json'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'ubigint'
  | 'decimal38'
  | 'decimal18'
  | 'double'
  | 'timestamp'
  | 'blob';

/** One cell on its way to Arrow. Integers may come as number (when safe) or bigint. */
export type Value = string | number | bigint | boolean | Uint8Array | readonly string[] | null;

/** One row by column name; a missing member is NULL. */
export type Row = Record<string, Value | undefined>;

const duckdbTypes: Record<ColumnType, string> = {
  varchar: 'VARCHAR',
  varchars: 'VARCHAR[]',
  json: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  ubigint: 'UBIGINT',
  decimal38: 'DECIMAL(38,0)',
  decimal18: 'DECIMAL(38,18)',
  double: 'DOUBLE',
  timestamp: 'TIMESTAMP',
  blob: 'BLOB',
};

/** The DuckDB type as DDL writes it. */
export const duckdbType = (type: ColumnType): string => duckdbTypes[type];
