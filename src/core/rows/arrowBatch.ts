import * as arrow from 'apache-arrow';
import type { ColumnType } from '../columns/columnType.ts';
import type { Column } from '../columns/table.ts';
import type { RowColumn } from './rowColumn.ts';
import type { Rows } from './rows.ts';

const types: Record<ColumnType, arrow.DataType> = {
  varchar: new arrow.Utf8View(),
  varchars: new arrow.List(new arrow.Field('item', new arrow.Utf8View(), true)),
  json: new arrow.Utf8View(),
  boolean: new arrow.Bool(),
  integer: new arrow.Int32(),
  bigint: new arrow.Int64(),
  ubigint: new arrow.Uint64(),
  decimal38: new arrow.Decimal(0, 38, 128),
  decimal18: new arrow.Decimal(18, 38, 128),
  double: new arrow.Float64(),
  timestamp: new arrow.TimestampMicrosecond(),
  blob: new arrow.BinaryView(),
};

/** The Arrow schema of a table's columns. */
export const arrowSchema = (columns: readonly Column[]): arrow.Schema =>
  new arrow.Schema(columns.map(({ name, type, nullable }) => new arrow.Field(name, types[type], nullable)));

/**
 * Rows as an Arrow record batch: the columns are laid out as Arrow's, and shared, not copied, but for flags and lists. It holds as long
 * as the rows are not changed.
 *
 * @returns one column for each column of the rows; TIMESTAMP is microseconds, UTC, `decimal18` has scale 18
 */
export function arrowBatch(rows: Rows): arrow.RecordBatch {
  const { fields } = arrowSchema(rows.columns.map(({ column }) => column));
  const children = rows.columns.map((column) => columnData(rows, column));
  const struct = arrow.makeData({ type: new arrow.Struct(fields), length: rows.length, nullCount: 0, children });
  return new arrow.RecordBatch(new arrow.Schema(fields), struct);
}

function columnData(rows: Rows, column: RowColumn): arrow.Data {
  const { length } = rows;
  const { type } = column.column;
  const nullBitmap = new Uint8Array(column.valid.buffer, 0, (length + 7) >> 3);
  const common = { type: types[type], length, nullCount: -1, nullBitmap };
  const words = column.entries.subarray(0, length * column.width);
  switch (type) {
    case 'varchar':
    case 'json':
    case 'blob':
      return arrow.makeData({ ...common, views: bytesOf(words), variadicBuffers: rows.heap.buffers } as never);
    case 'varchars':
      return lists(rows, column, common);
    case 'boolean': {
      const data = new Uint8Array((length + 7) >> 3);
      for (let row = 0; row < length; row++) (data[row >> 3] as number) |= (words[row] as number) << (row & 7);
      return arrow.makeData({ ...common, data } as never);
    }
    case 'bigint':
    case 'timestamp':
      return arrow.makeData({ ...common, data: new BigInt64Array(words.buffer, 0, length) } as never);
    case 'ubigint':
      return arrow.makeData({ ...common, data: new BigUint64Array(words.buffer, 0, length) } as never);
    case 'double':
      return arrow.makeData({ ...common, data: new Float64Array(words.buffer, 0, length) } as never);
    case 'decimal38':
    case 'decimal18':
      return arrow.makeData({ ...common, data: new Uint32Array(words.buffer, 0, words.length) } as never);
    default:
      return arrow.makeData({ ...common, data: words } as never);
  }
}

const bytesOf = (words: Int32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** Lists lie in the order in which they came, among them those of rows that were taken back. */
function lists(rows: Rows, column: RowColumn, common: object): arrow.Data {
  const valueOffsets = new Int32Array(rows.length + 1);
  const items = column.items?.entries ?? new Int32Array(0);
  const parts: Int32Array[] = [];
  for (let row = 0; row < rows.length; row++) {
    const [first, count] = [column.entries[row * 2] as number, column.entries[row * 2 + 1] as number];
    const taken = column.isValid(row) ? count : 0;
    valueOffsets[row + 1] = (valueOffsets[row] as number) + taken;
    if (taken > 0) parts.push(items.subarray(first * 4, (first + taken) * 4));
  }
  const length = valueOffsets[rows.length] as number;
  const entries = new Int32Array(length * 4);
  let end = 0;
  for (const part of parts) {
    entries.set(part, end);
    end += part.length;
  }
  const text = { type: types.varchar, length, nullCount: 0, views: bytesOf(entries) };
  const child = arrow.makeData({ ...text, variadicBuffers: rows.heap.buffers } as never);
  return arrow.makeData({ ...common, valueOffsets, child } as never);
}
