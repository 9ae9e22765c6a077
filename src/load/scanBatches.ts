import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  type DuckDBConnection,
  DuckDBTableFunction,
  type DuckDBType,
  INTEGER,
  LIST,
  TIMESTAMP,
  UBIGINT,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type * as arrow from 'apache-arrow';
import type { ColumnType } from '../core/columnType.ts';
import type { Column } from '../core/table.ts';

/** Arrow batches offered to SQL under a number each: `SELECT * FROM firn_scan(number)`. */
export interface BatchScanner {
  /** Makes a batch visible; returns the SQL that reads it and a function that takes it away again. */
  offer(columns: readonly Column[], batch: arrow.RecordBatch): { from: string; release(): void };
}

interface Offered {
  readonly columns: readonly Column[];
  readonly batch: arrow.RecordBatch;
}

interface Progress {
  next: number;
}

const types: Record<ColumnType, DuckDBType> = {
  varchar: VARCHAR,
  json: VARCHAR,
  varchars: LIST(VARCHAR),
  boolean: BOOLEAN,
  integer: INTEGER,
  bigint: BIGINT,
  ubigint: UBIGINT,
  decimal38: DECIMAL(38, 0),
  decimal18: DECIMAL(38, 18),
  double: DOUBLE,
  timestamp: TIMESTAMP,
  blob: BLOB,
};

/**
 * Registers the table function `firn_scan` on a connection. It is the bridge from Arrow to DuckDB: a column is one or two memory
 * copies a chunk, and DuckDB works on its own thread while JavaScript goes on.
 */
export function createBatchScanner(connection: DuckDBConnection): BatchScanner {
  const offered = new Map<number, Offered>();
  let last = 0;
  const chunkSize = duckdb.vector_size();

  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'firn_scan',
      parameterTypes: [INTEGER],
      bindFunction: (info) => {
        const source = offered.get(Number(info.getParameter(0)));
        if (!source) throw new Error(`batch ${String(info.getParameter(0))} is not on offer`);
        for (const column of source.columns) info.addResultColumn(column.name, types[column.type]);
        info.setCardinality(source.batch.numRows, true);
        info.setBindData(source);
      },
      initFunction: (info) => {
        // One thread: JavaScript fills the chunks, and the order of rows is the order of the batch.
        info.setMaxThreads(1);
        info.setInitData({ next: 0 } satisfies Progress);
      },
      mainFunction: (info, chunk) => {
        const { columns, batch } = info.bindData as Offered;
        const progress = info.initData as Progress;
        const from = progress.next;
        const count = Math.min(chunkSize, batch.numRows - from);
        progress.next = from + count;
        chunk.rowCount = count;
        if (count === 0) return;
        for (let i = 0; i < columns.length; i++) {
          const data = batch.data.children[i];
          const column = columns[i];
          if (data && column) fill(duckdb.data_chunk_get_vector(chunk.chunk, i), column.type, data, from, count);
        }
      },
    }),
  );

  return {
    offer(columns, batch) {
      const number = ++last;
      offered.set(number, { columns, batch });
      return { from: `firn_scan(${number}::INTEGER)`, release: () => offered.delete(number) };
    },
  };
}

function fill(vector: duckdb.Vector, type: ColumnType, data: arrow.Data, from: number, count: number): void {
  const nulls = data.nullCount > 0 ? data.nullBitmap : undefined;
  if (nulls) {
    duckdb.vector_ensure_validity_writable(vector);
    // Chunks begin at multiples of 2,048 rows, so the bitmap is cut at a byte.
    copyBytes(duckdb.copy_data_to_vector_validity, vector, nulls, from >> 3, (count + 7) >> 3);
  }
  const isNull = (row: number) => nulls !== undefined && (((nulls[row >> 3] ?? 0) >> (row & 7)) & 1) === 0;
  switch (type) {
    case 'varchar':
    case 'json':
    case 'blob':
      fillText(vector, data, from, count, isNull);
      return;
    case 'varchars':
      fillLists(vector, data, from, count);
      return;
    case 'boolean': {
      const flags = new Uint8Array(count);
      const bits = data.values as Uint8Array;
      for (let i = 0; i < count; i++) flags[i] = ((bits[(from + i) >> 3] ?? 0) >> ((from + i) & 7)) & 1;
      copyBytes(duckdb.copy_data_to_vector, vector, flags, 0, count);
      return;
    }
    default: {
      const width = type === 'decimal38' || type === 'decimal18' ? 16 : type === 'integer' ? 4 : 8;
      const values = data.values as Int32Array;
      const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      copyBytes(duckdb.copy_data_to_vector, vector, raw, from * width, count * width);
    }
  }
}

type Copy = typeof duckdb.copy_data_to_vector;

function copyBytes(copy: Copy, vector: duckdb.Vector, source: Uint8Array, at: number, length: number): void {
  copy(vector, 0, source.buffer as ArrayBuffer, source.byteOffset + at, length);
}

/** `duckdb_string_t`: the length, and behind it up to 12 bytes of text; of longer text its first 4 bytes and where all of it lies. */
const entrySize = 16;
const inlineSize = 12;
const twoTo32 = 2 ** 32;

/**
 * All long text of a chunk goes in as one value, of which DuckDB makes a copy, and the entries point into that copy: a call a
 * value, at 0.4 us each, would be the dearest step of a load.
 */
function fillText(
  vector: duckdb.Vector,
  data: arrow.Data,
  from: number,
  count: number,
  isNull: (row: number) => boolean,
): void {
  const offsets = data.valueOffsets as Int32Array;
  const text = data.values as Uint8Array;
  const first = offsets[from] ?? 0;
  const all = text.subarray(first, offsets[from + count]);
  let copy: ReturnType<typeof placeOf> | undefined;
  const entries = new Uint8Array(count * entrySize);
  const words = new Uint32Array(entries.buffer);
  for (let i = 0; i < count; i++) {
    if (isNull(from + i)) continue;
    const start = offsets[from + i] ?? 0;
    const length = (offsets[from + i + 1] ?? start) - start;
    const isLong = length > inlineSize;
    const word = i * (entrySize / 4);
    words[word] = length;
    for (let at = 0; at < (isLong ? 4 : length); at++) entries[i * entrySize + 4 + at] = text[start + at] ?? 0;
    if (isLong) {
      copy ??= placeOf(vector, all);
      const place = copy.low + (start - first);
      words[word + 2] = place;
      words[word + 3] = place < twoTo32 ? copy.high : copy.high + 1;
    }
  }
  copyBytes(duckdb.copy_data_to_vector, vector, entries, 0, entries.length);
}

/** Gives text to a vector; returns the address of DuckDB's copy, which lives as long as the vector's. */
function placeOf(vector: duckdb.Vector, text: Uint8Array): { low: number; high: number } {
  duckdb.vector_assign_string_element_len(vector, 0, text);
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, entrySize);
  const entry = new DataView(buffer, byteOffset, entrySize);
  return { low: entry.getUint32(8, true), high: entry.getUint32(12, true) };
}

function fillLists(vector: duckdb.Vector, data: arrow.Data, from: number, count: number): void {
  const offsets = data.valueOffsets as Int32Array;
  const first = offsets[from] ?? 0;
  const size = (offsets[from + count] ?? first) - first;
  duckdb.list_vector_reserve(vector, size);
  duckdb.list_vector_set_size(vector, size);
  const entries = new BigUint64Array(count * 2);
  for (let i = 0; i < count; i++) {
    const start = offsets[from + i] ?? 0;
    entries[i * 2] = BigInt(start - first);
    entries[i * 2 + 1] = BigInt((offsets[from + i + 1] ?? start) - start);
  }
  const raw = new Uint8Array(entries.buffer);
  copyBytes(duckdb.copy_data_to_vector, vector, raw, 0, raw.length);
  const child = data.children[0];
  if (child) fillText(duckdb.list_vector_get_child(vector), child, first, size, () => false);
}
