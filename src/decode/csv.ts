import { FirnError } from '../core/firnError.ts';
import { csvBounds } from '../core/json/bounds.ts';

/** Where in a cell the reader is. */
type Inside = 'start' | 'plain' | 'quotes' | 'quote';

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Reads CSV (RFC 4180) as its text arrives: rows of cells, the header among them. Cells in quotes may hold delimiters, quotes
 * and line ends; lines end with LF, CRLF or CR; lines with nothing on them are passed over, and so is a byte order mark.
 * Our own, since csv-parse takes six times the CPU for a file of exports, and bounds no number of columns.
 *
 * @returns the rows that each piece of text completes
 * @throws FirnError `contract` when the text ends inside quotes: it was cut · beyond the bounds on columns and on the length of a row
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<string[][]> {
  const parser = csvParser(',');
  for await (const chunk of chunks) {
    const rows = parser.rowsOf(chunk);
    if (rows.length > 0) yield rows;
  }
  const last = parser.end();
  if (last.length > 0) yield last;
}

/** The rows of a small CSV, as `readCsv` gives them. @param delimiter one character */
export function parseCsv(text: string, delimiter: string): string[][] {
  const parser = csvParser(delimiter);
  return [...parser.rowsOf(text), ...parser.end()];
}

interface CsvParser {
  /** The rows that a piece of text completes. */
  rowsOf(chunk: string): string[][];
  /** The row that no line end follows, where there is one. */
  end(): string[][];
}

/** Cells and rows in the making, within the bounds. */
function createRows() {
  let cell = '';
  let size = 0;
  let cells: string[] = [];
  let rows: string[][] = [];
  let count = 0;
  return {
    /** The number of the row that is being made, from 1 on. */
    current: () => count + 1,
    hasCells: () => cells.length > 0,
    add(text: string) {
      cell += text;
      size += text.length;
      if (size > csvBounds.line) throw tooMuch(count + 1, `is longer than ${csvBounds.line} characters`);
    },
    endCell() {
      if (cells.length === csvBounds.columns) throw tooMuch(count + 1, `has more than ${csvBounds.columns} columns`);
      cells.push(cell);
      cell = '';
    },
    endRow() {
      rows.push(cells);
      count++;
      cells = [];
      size = 0;
    },
    /** The rows that were completed since the last time. */
    take() {
      const complete = rows;
      rows = [];
      return complete;
    },
  };
}

function csvParser(delimiter: string): CsvParser {
  const between = delimiter.charCodeAt(0);
  const rows = createRows();
  let inside: Inside = 'start';
  let begun = false;

  const endCell = () => {
    rows.endCell();
    inside = 'start';
  };
  const endRow = () => {
    // As between CR and LF.
    if (inside === 'start' && !rows.hasCells()) return;
    endCell();
    rows.endRow();
  };
  /** Reads the next piece of the chunk, from `at` on, and gives where it ends. */
  const afterStep = (chunk: string, at: number): number => {
    if (inside === 'quotes') {
      const end = chunk.indexOf('"', at);
      rows.add(chunk.slice(at, end < 0 ? chunk.length : end));
      if (end < 0) return chunk.length;
      inside = 'quote';
      return end + 1;
    }
    const code = chunk.charCodeAt(at);
    if (code === quote && (inside === 'start' || inside === 'quote')) {
      // Two quotes inside a quoted cell stand for one.
      if (inside === 'quote') rows.add('"');
      inside = 'quotes';
    } else if (code === between) endCell();
    else if (isLineEnd(code)) endRow();
    else {
      const end = plainEnd(chunk, at, between);
      rows.add(chunk.slice(at, end));
      inside = 'plain';
      return end;
    }
    return at + 1;
  };

  return {
    rowsOf(chunk) {
      let at = !begun && chunk.charCodeAt(0) === 0xfeff ? 1 : 0;
      begun ||= chunk.length > 0;
      while (at < chunk.length) at = afterStep(chunk, at);
      return rows.take();
    },
    end() {
      if (inside === 'quotes')
        throw new FirnError(
          'contract',
          `The CSV ends inside a quoted cell of row ${rows.current()}: the file was cut.`,
        );
      endRow();
      return rows.take();
    },
  };
}

const isLineEnd = (code: number): boolean => code === lineFeed || code === carriageReturn;

/** Where the plain text ends that stands at `at`: at a delimiter, a line end or the end of the chunk. */
function plainEnd(chunk: string, at: number, between: number): number {
  let end = at;
  for (; end < chunk.length; end++) {
    const code = chunk.charCodeAt(end);
    if (code === between || isLineEnd(code)) break;
  }
  return end;
}

const tooMuch = (row: number, what: string) =>
  new FirnError(
    'contract',
    `Row ${row} of the CSV ${what}. That is no row of a table: a quote is not closed, or this is not the file that was asked for.`,
  );
