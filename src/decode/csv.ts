import { csvBounds } from '../core/bounds.ts';
import { FirnError } from '../core/firnError.ts';

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

function csvParser(delimiter: string): CsvParser {
  const between = delimiter.charCodeAt(0);
  let inside: Inside = 'start';
  let cell = '';
  let size = 0;
  let cells: string[] = [];
  let rows: string[][] = [];
  let count = 0;
  let begun = false;
  let afterReturn = false;

  const add = (text: string) => {
    cell += text;
    size += text.length;
    if (size > csvBounds.line) throw tooMuch(count + 1, `is longer than ${csvBounds.line} characters`);
  };
  const endCell = () => {
    if (cells.length === csvBounds.columns) throw tooMuch(count + 1, `has more than ${csvBounds.columns} columns`);
    cells.push(cell);
    cell = '';
    inside = 'start';
  };
  const endRow = () => {
    if (cells.length === 0 && inside === 'start') return;
    endCell();
    rows.push(cells);
    count++;
    cells = [];
    size = 0;
  };
  const taken = () => {
    const complete = rows;
    rows = [];
    return complete;
  };

  return {
    rowsOf(chunk) {
      let at = 0;
      if (!begun && chunk.length > 0) {
        if (chunk.charCodeAt(0) === 0xfeff) at = 1;
        begun = true;
      }
      while (at < chunk.length) {
        if (inside === 'quotes') {
          const end = chunk.indexOf('"', at);
          add(chunk.slice(at, end < 0 ? chunk.length : end));
          at = end < 0 ? chunk.length : end + 1;
          if (end >= 0) inside = 'quote';
          continue;
        }
        const code = chunk.charCodeAt(at);
        const isLineFeedOfReturn = afterReturn && code === lineFeed;
        afterReturn = false;
        if (isLineFeedOfReturn) at++;
        else if (code === quote && (inside === 'start' || inside === 'quote')) {
          // A quote after a quote is one of the cell's own.
          if (inside === 'quote') add('"');
          inside = 'quotes';
          at++;
        } else if (code === between) {
          endCell();
          at++;
        } else if (code === lineFeed || code === carriageReturn) {
          endRow();
          afterReturn = code === carriageReturn;
          at++;
        } else {
          let end = at;
          for (; end < chunk.length; end++) {
            const next = chunk.charCodeAt(end);
            if (next === between || next === lineFeed || next === carriageReturn) break;
          }
          add(chunk.slice(at, end));
          inside = 'plain';
          at = end;
        }
      }
      return taken();
    },
    end() {
      if (inside === 'quotes') {
        throw new FirnError('contract', `The CSV ends inside a quoted cell of row ${count + 1}: the file was cut.`);
      }
      endRow();
      return taken();
    },
  };
}

const tooMuch = (row: number, what: string) =>
  new FirnError(
    'contract',
    `Row ${row} of the CSV ${what}. That is no row of a table: a quote that is not closed, or another file than was asked for.`,
  );
