import * as arrow from 'apache-arrow';

/**
 * How a column is held: the one list from which the Arrow type and the DuckDB type follow.
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

interface Mapping {
  readonly duckdb: string;
  readonly arrow: arrow.DataType;
}

const mappings: Record<ColumnType, Mapping> = {
  varchar: { duckdb: 'VARCHAR', arrow: new arrow.Utf8() },
  varchars: {
    duckdb: 'VARCHAR[]',
    arrow: new arrow.List(new arrow.Field('item', new arrow.Utf8(), true)),
  },
  json: { duckdb: 'VARCHAR', arrow: new arrow.Utf8() },
  boolean: { duckdb: 'BOOLEAN', arrow: new arrow.Bool() },
  integer: { duckdb: 'INTEGER', arrow: new arrow.Int32() },
  bigint: { duckdb: 'BIGINT', arrow: new arrow.Int64() },
  ubigint: { duckdb: 'UBIGINT', arrow: new arrow.Uint64() },
  decimal38: { duckdb: 'DECIMAL(38,0)', arrow: new arrow.Decimal(0, 38, 128) },
  decimal18: { duckdb: 'DECIMAL(38,18)', arrow: new arrow.Decimal(18, 38, 128) },
  double: { duckdb: 'DOUBLE', arrow: new arrow.Float64() },
  timestamp: { duckdb: 'TIMESTAMP', arrow: new arrow.TimestampMicrosecond() },
  blob: { duckdb: 'BLOB', arrow: new arrow.Binary() },
};

/** The DuckDB type as DDL writes it. */
export const duckdbType = (type: ColumnType): string => mappings[type].duckdb;

/** The Arrow type that carries the column to DuckDB. */
export const arrowType = (type: ColumnType): arrow.DataType => mappings[type].arrow;
