import { printableLine } from '../../core/text/printable.ts';
import { textWidth } from './textWidth.ts';

/** Characters of a cell at most: names, reasons and messages come from elsewhere and may be of any length. */
const longestCell = 500;

/** Rows as an aligned table; numbers are right-aligned. Empty lists give an empty text. */
export function textTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return '';
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : printableLine(cell, longestCell))),
  );
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  return alignedLines(cells, isNumber).join('\n');
}

/** Rows as lines with aligned columns, those of numbers right-aligned. */
export function alignedLines(rows: readonly (readonly string[])[], isNumber: readonly boolean[] = []): string[] {
  const widths = rows[0]?.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), 0),
  );
  const padded = (cell: string, column: number) => {
    const room = ' '.repeat(Math.max(0, (widths?.[column] ?? 0) - textWidth(cell)));
    return isNumber[column] ? `${room}${cell}` : `${cell}${room}`;
  };
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}
