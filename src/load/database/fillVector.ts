import duckdb from '@duckdb/node-bindings';
import type { RowColumn } from '../../core/rows/rowColumn.ts';
import { inlineBytes, viewWords } from '../../core/rows/textHeap.ts';

/** Columns of rows whose text DuckDB has. */
export interface OfferedRows {
  readonly columns: readonly RowColumn[];
  readonly length: number;
  readonly text: KeptText;
}

/** Rows that go into a chunk. */
export interface Piece {
  readonly part: OfferedRows;
  readonly from: number;
  readonly count: number;
  /** Where in the chunk they begin. */
  readonly at: number;
}

interface ColumnPiece extends Omit<Piece, 'part'> {
  readonly column: RowColumn;
  readonly text: KeptText;
}

interface TextPiece extends Omit<ColumnPiece, 'column'> {
  readonly entries: Int32Array;
}

/** DuckDB's copies of the buffers of a heap: where they begin, as two halves of an address. */
export interface KeptText {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Rows that DuckDB asks for at a time. */
export const chunkRows = duckdb.vector_size();
const twoTo32 = 4294967296;

/** Rows of all pieces. */
export const rowsIn = (pieces: readonly { readonly count: number }[]) =>
  pieces.reduce((sum, { count }) => sum + count, 0);

/** Puts the values of a column, of all pieces, into a vector of a chunk. */
export function fillVector(vector: duckdb.Vector, place: number, pieces: readonly Piece[]): void {
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
