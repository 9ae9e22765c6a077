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

interface Part {
  readonly columns: readonly RowColumn[];
  readonly length: number;
  readonly text: Kept;
}

interface Source {
  readonly columns: readonly Column[];
  readonly parts: readonly Part[];
  readonly length: number;
}

/** Rows that go into a chunk. */
interface Piece {
  readonly part: Part;
  readonly from: number;
  readonly count: number;
  /** Where in the chunk they begin. */
  readonly at: number;
}

interface ColumnPiece extends Omit<Piece, 'part'> {
  readonly column: RowColumn;
  readonly text: Kept;
}

interface TextPiece extends Omit<ColumnPiece, 'column'> {
  readonly entries: Int32Array;
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
        const { parts, columns } = info.bindData as Source;
        const pieces = nextPieces(parts, info.initData as Progress);
        chunk.rowCount = rowsIn(pieces);
        if (pieces.length > 0)
          for (const i of columns.keys()) fill(duckdb.data_chunk_get_vector(chunk.chunk, i), i, pieces);
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

/**
 * The next rows of the parts, as many as go into a chunk, over the ends of parts: DuckDB waits for each chunk until JavaScript has a turn for
 * it, and a part of blocks has some hundred rows.
 */
function nextPieces(parts: readonly Part[], progress: Progress): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < chunkRows; ) {
    const part = parts[progress.part];
    if (part === undefined) break;
    const from = progress.row;
    const count = Math.min(chunkRows - at, part.length - from);
    if (count > 0) pieces.push({ part, from, count, at });
    at += count;
    progress.row += count;
    if (progress.row < part.length) break;
    progress.part++;
    progress.row = 0;
  }
  return pieces;
}

const rowsIn = (pieces: readonly { readonly count: number }[]) => pieces.reduce((sum, { count }) => sum + count, 0);

function fill(vector: duckdb.Vector, place: number, pieces: readonly Piece[]): void {
  const columns = pieces.map(({ part, ...piece }) => ({
    ...piece,
    column: part.columns[place] as RowColumn,
    text: part.text,
  }));
  fillValidity(vector, columns);
  switch (columns[0]?.column.column.type) {
    case 'varchar':
    case 'json':
    case 'blob':
      fillText(
        vector,
        columns.map(({ column, ...piece }) => ({ ...piece, entries: column.entries })),
      );
      return;
    case 'varchars':
      fillLists(vector, columns);
      return;
    case 'boolean':
      for (const { column, from, count, at } of columns)
        copyInto(vector, at, Uint8Array.from(column.entries.subarray(from, from + count)), 0, count);
      return;
    default:
      for (const { column, from, count, at } of columns) {
        const width = column.width * 4;
        copyInto(vector, at * width, column.entries, from * width, count * width);
      }
  }
}

function copyInto(
  vector: duckdb.Vector,
  to: number,
  source: Int32Array | Uint8Array,
  from: number,
  length: number,
): void {
  duckdb.copy_data_to_vector(vector, to, source.buffer as ArrayBuffer, source.byteOffset + from, length);
}

/** Validity of a chunk of a column. */
const bits = new Int32Array(chunkRows >> 5);

function fillValidity(vector: duckdb.Vector, columns: readonly ColumnPiece[]): void {
  bits.fill(0);
  for (const { column, from, count, at } of columns) {
    // Words of both begin anywhere in those of the other.
    for (let done = 0; done < count; ) {
      const [source, target] = [from + done, at + done];
      const taken = Math.min(32 - (source & 31), 32 - (target & 31), count - done);
      const word = ((column.valid[source >> 5] as number) >>> (source & 31)) & (taken === 32 ? -1 : (1 << taken) - 1);
      (bits[target >> 5] as number) |= word << (target & 31);
      done += taken;
    }
  }
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer as ArrayBuffer, 0, bits.byteLength);
}

/** Where views are made anew, a chunk of a column at a time. */
let strings = new Int32Array(chunkRows * viewWords);

/** Views become `duckdb_string_t`: the number of a buffer and a place in it become an address. */
function fillText(vector: duckdb.Vector, pieces: readonly TextPiece[]): void {
  const words = rowsIn(pieces) * viewWords;
  if (words > strings.length) strings = new Int32Array(words * 2);
  for (const piece of pieces) addViews(strings, piece);
  copyInto(vector, 0, strings, 0, words * 4);
}

function addViews(to: Int32Array, { entries, text: { low, high }, from, count, at: first }: TextPiece): void {
  const end = (first + count) * viewWords;
  for (let i = first * viewWords, at = from * viewWords; i < end; i += viewWords, at += viewWords) {
    const length = entries[at] as number;
    to[i] = length;
    to[i + 1] = entries[at + 1] as number;
    if (length <= inlineBytes) {
      to[i + 2] = entries[at + 2] as number;
      to[i + 3] = entries[at + 3] as number;
      continue;
    }
    const buffer = entries[at + 2] as number;
    const place = (low[buffer] as number) + (entries[at + 3] as number);
    to[i + 2] = place;
    to[i + 3] = place < twoTo32 ? (high[buffer] as number) : (high[buffer] as number) + 1;
  }
}

function fillLists(vector: duckdb.Vector, columns: readonly ColumnPiece[]): void {
  const lists = new BigUint64Array(rowsIn(columns) * 2);
  const texts: TextPiece[] = [];
  let size = 0;
  for (const { column, from, count, at, text } of columns) {
    for (let i = 0; i < count; i++) {
      if (!column.isValid(from + i)) continue;
      const first = column.entries[(from + i) * 2] as number;
      const length = column.entries[(from + i) * 2 + 1] as number;
      if (column.items) texts.push({ entries: column.items.entries, text, from: first, count: length, at: size });
      lists[(at + i) * 2] = BigInt(size);
      lists[(at + i) * 2 + 1] = BigInt(length);
      size += length;
    }
  }
  duckdb.list_vector_reserve(vector, size);
  duckdb.list_vector_set_size(vector, size);
  copyInto(vector, 0, new Uint8Array(lists.buffer), 0, lists.byteLength);
  if (size > 0) fillText(duckdb.list_vector_get_child(vector), texts);
}
