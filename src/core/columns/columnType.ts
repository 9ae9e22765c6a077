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

/** The least and the greatest that columns of integers hold. */
export const integerRanges = {
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
  ubigint: [0n, 2n ** 64n - 1n],
  decimal38: [-(10n ** 38n) + 1n, 10n ** 38n - 1n],
} as const satisfies Partial<Record<ColumnType, readonly [bigint, bigint]>>;

/** Types that a table may be searched by: whole numbers of at most 64 bits, and times. */
export const rangeTypes: readonly ColumnType[] = ['integer', 'bigint', 'ubigint', 'timestamp'];

/** The DuckDB type as DDL writes it. */
export const duckdbType = (type: ColumnType): string => duckdbTypes[type];

/** The first type whose columns have this type in DuckDB; undefined where no column has. */
export const columnTypeOf = (duckdb: string): ColumnType | undefined =>
  (Object.keys(duckdbTypes) as ColumnType[]).find((type) => duckdbTypes[type] === duckdb);
