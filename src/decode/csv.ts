import { csvBounds } from '../core/bounds.ts';
import { FirnError } from '../core/firnError.ts';

/** Where a reader stands in a cell. */
type Inside = 'start' | 'plain' | 'quotes' | 'quote';

const comma = 44;
const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Reads CSV (RFC 4180) as its text arrives: rows of cells, the header among them. Cells in quotes may hold commas, quotes
 * and line ends; lines end with LF, CRLF or CR; lines with nothing on them are passed over, and so is a byte order mark.
 * Our own, since csv-parse takes six times the CPU for a file of exports, and bounds no number of columns.
 *
 * @returns the rows that each piece of text completes
 * @throws FirnError `contract` when the text ends inside quotes: it was cut · beyond the bounds on columns and on the length of a row
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<string[][]> {
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

  for await (const chunk of chunks) {
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
      } else if (code === comma) {
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
          if (next === comma || next === lineFeed || next === carriageReturn) break;
        }
        add(chunk.slice(at, end));
        inside = 'plain';
        at = end;
      }
    }
    if (rows.length > 0) yield rows;
    rows = [];
  }
  if (inside === 'quotes') {
    throw new FirnError('contract', `The CSV ends inside a quoted cell of row ${count + 1}: the file was cut.`);
  }
  endRow();
  if (rows.length > 0) yield rows;
}

const tooMuch = (row: number, what: string) =>
  new FirnError(
    'contract',
    `Row ${row} of the CSV ${what}. That is no row of a table: a quote that is not closed, or another file than was asked for.`,
  );
