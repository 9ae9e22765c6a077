import { printableLine } from '../../core/text/printable.ts';
import { lineWidth } from './lineWidth.ts';
import { textWidth } from './textWidth.ts';

/** Characters of a cell at most: names, reasons and messages come from elsewhere and may be of any length. */
const longestCell = 500;

/**
 * Rows as an aligned table; numbers are right-aligned. Empty lists give an empty text.
 *
 * @param width columns that a line of the terminal has: where the table is wider, each row goes on below, in lines that are set in
 */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  width = lineWidth(),
): string {
  if (rows.length === 0) return '';
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : printableLine(cell, longestCell))),
  );
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  return alignedLines(cells, isNumber, width).join('\n');
}

const gap = '  ';

/** Rows as lines with aligned columns, those of numbers right-aligned; columns that have no room in `width` stand in further lines of their row. */
export function alignedLines(
  rows: readonly (readonly string[])[],
  isNumber: readonly boolean[] = [],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), 0),
  );
  const padded = (cell: string, column: number) => {
    const room = ' '.repeat(Math.max(0, (widths[column] ?? 0) - textWidth(cell)));
    return isNumber[column] ? `${room}${cell}` : `${cell}${room}`;
  };
  // The first column of each line.
  const begins: number[] = [];
  let taken = 0;
  for (const [column, own] of widths.entries()) {
    taken += gap.length + own;
    if (column > 0 && taken <= width) continue;
    begins.push(column);
    taken = column > 0 ? gap.length + own : own;
  }
  return rows.flatMap((row) => {
    const cells = row.map(padded);
    const lines = begins.map((begin, line) =>
      cells
        .slice(begin, begins[line + 1])
        .join(gap)
        .trimEnd(),
    );
    return lines.flatMap((line, at) => (at === 0 ? [line] : line === '' ? [] : [gap + line]));
  });
}
