import * as arrow from 'apache-arrow';
import type { ColumnType } from './columnType.ts';

const arrowTypes: Record<ColumnType, arrow.DataType> = {
  varchar: new arrow.Utf8(),
  varchars: new arrow.List(new arrow.Field('item', new arrow.Utf8(), true)),
  json: new arrow.Utf8(),
  boolean: new arrow.Bool(),
  integer: new arrow.Int32(),
  bigint: new arrow.Int64(),
  ubigint: new arrow.Uint64(),
  decimal38: new arrow.Decimal(0, 38, 128),
  decimal18: new arrow.Decimal(18, 38, 128),
  double: new arrow.Float64(),
  timestamp: new arrow.TimestampMicrosecond(),
  blob: new arrow.Binary(),
};

/** The Arrow type that carries the column to DuckDB. */
export const arrowType = (type: ColumnType): arrow.DataType => arrowTypes[type];
