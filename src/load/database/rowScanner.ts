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
import type { ColumnType } from '../../core/columns/columnType.ts';
import type { Column } from '../../core/columns/table.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { inlineBytes, type TextHeap, viewWords } from '../../core/rows/textHeap.ts';
import { chunkRows, fillVector, type KeptText, type OfferedRows, type Piece, rowsIn } from './fillVector.ts';

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
  readonly parts: readonly OfferedRows[];
  readonly length: number;
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

const entryBytes = viewWords * 4;

/**
 * Registers the table function `firn_scan` on a connection. It is the bridge from columns to DuckDB: a column is one memory copy per
 * chunk, text points into a copy of the answer it stands in, and DuckDB works on its own thread while JavaScript goes on.
 */
export function createRowScanner(connection: DuckDBConnection): RowScanner {
  const offered = new Map<number, Source>();
  let last = 0;
  let kept = new Map<TextHeap, KeptText>();
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
          for (const i of columns.keys()) fillVector(duckdb.data_chunk_get_vector(chunk.chunk, i), i, pieces);
      },
    }),
  );

  const keep = (heap: TextHeap): KeptText => {
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
function nextPieces(parts: readonly OfferedRows[], progress: Progress): readonly Piece[] {
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
