import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTableFunction,
  type DuckDBType,
  INTEGER,
  LIST,
  TIMESTAMP,
  UBIGINT,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type { ColumnType } from '../core/columnType.ts';
import type { RowColumn, Rows } from '../core/rows.ts';
import type { Column } from '../core/table.ts';
import { inlineBytes, type TextHeap, viewWords } from '../core/textHeap.ts';

/** Rows offered to SQL under a number each: `SELECT * FROM firn_scan(number)`. */
export interface RowScanner {
  /**
   * Makes rows visible, one part after the other; returns the SQL that reads them. Their text lies in DuckDB's memory from now on,
   * once for all tables that share a heap: nothing may be added to the heap until it is released.
   */
  offer(columns: readonly Column[], parts: readonly Rows[]): Offered;
  /** Frees DuckDB's copies of the text of rows that are not offered any more. */
  forget(): void;
}

export interface Offered {
  /** What is written after FROM. */
  readonly from: string;
  /** Withdraws the rows. */
  release(): void;
}

interface Source {
  readonly columns: readonly Column[];
  readonly parts: readonly { readonly columns: readonly RowColumn[]; readonly length: number; readonly text: Kept }[];
  readonly length: number;
}

/** DuckDB's copies of the buffers of a heap: where they begin, as two halves of an address. */
interface Kept {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

interface Progress {
  part: number;
  row: number;
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

const chunkRows = duckdb.vector_size();
const entryBytes = viewWords * 4;
const twoTo32 = 4294967296;

/**
 * Registers the table function `firn_scan` on a connection. It is the bridge from columns to DuckDB: a column is one memory copy per
 * chunk, text points into a copy of the answer it stands in, and DuckDB works on its own thread while JavaScript goes on.
 */
export function createRowScanner(connection: DuckDBConnection): RowScanner {
  const offered = new Map<number, Source>();
  let last = 0;
  let kept = new Map<TextHeap, Kept>();
  const copies = createCopies();

  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'firn_scan',
      parameterTypes: [INTEGER],
      bindFunction: (info) => {
        const source = offered.get(Number(info.getParameter(0)));
        if (!source) throw new Error(`batch ${String(info.getParameter(0))} is not on offer`);
        for (const column of source.columns) info.addResultColumn(column.name, types[column.type]);
        info.setCardinality(source.length, true);
        info.setBindData(source);
      },
      initFunction: (info) => {
        // One thread: JavaScript fills the chunks, and the order of rows is the order of the parts.
        info.setMaxThreads(1);
        info.setInitData({ part: 0, row: 0 } satisfies Progress);
      },
      mainFunction: (info, chunk) => {
        const { parts } = info.bindData as Source;
        const progress = info.initData as Progress;
        while (parts[progress.part]?.length === progress.row) {
          progress.part++;
          progress.row = 0;
        }
        const part = parts[progress.part];
        const count = part ? Math.min(chunkRows, part.length - progress.row) : 0;
        chunk.rowCount = count;
        if (!part) return;
        part.columns.forEach((column, i) => {
          fill(duckdb.data_chunk_get_vector(chunk.chunk, i), column, part.text, progress.row, count);
        });
        progress.row += count;
      },
    }),
  );

  const keep = (heap: TextHeap): Kept => {
    const known = kept.get(heap);
    if (known) return known;
    const addresses = heap.buffers.map((buffer) => copies.add(buffer));
    const text = { low: addresses.map(([low]) => low), high: addresses.map(([, high]) => high) };
    kept.set(heap, text);
    return text;
  };

  return {
    offer(columns, parts) {
      const number = ++last;
      const source = {
        columns,
        length: parts.reduce((sum, { length }) => sum + length, 0),
        parts: parts.map((rows) => ({
          columns: columns.map(({ name }) => rows.named(name)),
          length: rows.length,
          text: keep(rows.heap),
        })),
      };
      offered.set(number, source);
      return { from: `firn_scan(${number}::INTEGER)`, release: () => offered.delete(number) };
    },
    forget() {
      if (offered.size > 0) return;
      kept = new Map();
      copies.clear();
    },
  };
}

/** Bytes in DuckDB's own memory, at addresses that do not move. */
function createCopies() {
  const chunk = DuckDBDataChunk.create([BLOB], 1);
  return {
    /** Address of a copy, as two 32-bit halves. */
    add(bytes: Uint8Array): readonly [number, number] {
      // Short bytes stand in the entry itself: no view of so short a text points anywhere.
      if (bytes.length <= inlineBytes) return [0, 0];
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, 0);
      // What an entry held before stays in the vector's memory until the chunk is reset: one entry is enough.
      duckdb.vector_assign_string_element_len(vector, 0, bytes);
      const { buffer, byteOffset } = duckdb.vector_get_data(vector, entryBytes);
      const view = new DataView(buffer, byteOffset, entryBytes);
      return [view.getUint32(8, true), view.getUint32(12, true)];
    },
    clear: () => chunk.reset(),
  };
}

function fill(vector: duckdb.Vector, column: RowColumn, text: Kept, from: number, count: number): void {
  duckdb.vector_ensure_validity_writable(vector);
  // Chunks of a part begin at multiples of 2,048 rows, so the bits are cut at a byte.
  duckdb.copy_data_to_vector_validity(vector, 0, column.valid.buffer as ArrayBuffer, from >> 3, (count + 7) >> 3);
  switch (column.column.type) {
    case 'varchar':
    case 'json':
    case 'blob':
      fillText(vector, column.entries, text, from, count);
      return;
    case 'varchars':
      fillLists(vector, column, text, from, count);
      return;
    case 'boolean':
      copyInto(vector, Uint8Array.from(column.entries.subarray(from, from + count)), 0, count);
      return;
    default: {
      const width = column.width * 4;
      copyInto(vector, column.entries, from * width, count * width);
    }
  }
}

function copyInto(vector: duckdb.Vector, source: Int32Array | Uint8Array, at: number, length: number): void {
  duckdb.copy_data_to_vector(vector, 0, source.buffer as ArrayBuffer, source.byteOffset + at, length);
}

/** Where views are made anew, a chunk of a column at a time. */
let strings = new Int32Array(chunkRows * viewWords);

/** Views become `duckdb_string_t`: the number of a buffer and a place in it become an address. */
function fillText(vector: duckdb.Vector, entries: Int32Array, { low, high }: Kept, from: number, count: number): void {
  const words = count * viewWords;
  if (words > strings.length) strings = new Int32Array(words * 2);
  for (let i = 0, at = from * viewWords; i < words; i += viewWords, at += viewWords) {
    const length = entries[at] as number;
    strings[i] = length;
    strings[i + 1] = entries[at + 1] as number;
    if (length <= inlineBytes) {
      strings[i + 2] = entries[at + 2] as number;
      strings[i + 3] = entries[at + 3] as number;
      continue;
    }
    const buffer = entries[at + 2] as number;
    const place = (low[buffer] as number) + (entries[at + 3] as number);
    strings[i + 2] = place;
    strings[i + 3] = place < twoTo32 ? (high[buffer] as number) : (high[buffer] as number) + 1;
  }
  copyInto(vector, strings, 0, words * 4);
}

function fillLists(vector: duckdb.Vector, column: RowColumn, text: Kept, from: number, count: number): void {
  const lists = new BigUint64Array(count * 2);
  const items = new Int32Array(listed(column, from, count) * viewWords);
  let size = 0;
  for (let i = 0; i < count; i++) {
    if (!column.isValid(from + i)) continue;
    const first = column.entries[(from + i) * 2] as number;
    const length = column.entries[(from + i) * 2 + 1] as number;
    const source = column.items?.entries.subarray(first * viewWords, (first + length) * viewWords);
    if (source) items.set(source, size * viewWords);
    lists[i * 2] = BigInt(size);
    lists[i * 2 + 1] = BigInt(length);
    size += length;
  }
  duckdb.list_vector_reserve(vector, size);
  duckdb.list_vector_set_size(vector, size);
  copyInto(vector, new Uint8Array(lists.buffer), 0, lists.byteLength);
  if (size > 0) fillText(duckdb.list_vector_get_child(vector), items, text, 0, size);
}

/** Texts in the lists of some rows. */
function listed(column: RowColumn, from: number, count: number): number {
  let size = 0;
  for (let row = from; row < from + count; row++) {
    if (column.isValid(row)) size += column.entries[row * 2 + 1] as number;
  }
  return size;
}
