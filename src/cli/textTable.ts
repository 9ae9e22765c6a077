import { printableLine } from '../core/printable.ts';

/** Characters of a cell at most: names, reasons and messages come from elsewhere and may be of any length. */
const longestCell = 500;

/** Rows as an aligned table; numbers stand right. Empty lists give an empty text. */
export function textTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : printableLine(cell, longestCell))),
  );
  const widths = header.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.length === 0 ? '' : cells.map(line).join('\n');
}
