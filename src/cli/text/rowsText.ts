import { printableLine } from '../../core/text/printable.ts';
import { isNumberType } from '../../report/query/isNumberType.ts';
import type { QueryRows } from '../../report/query/queryRequest.ts';
import { alignedLines } from './textTable.ts';
import { textWidth } from './textWidth.ts';

/**
 * Rows of a query as an aligned table.
 *
 * @param width columns that a line of the terminal has: where the table is wider, each row is told member by member
 */
export function rowsText({ names, types, rows }: QueryRows, width = Number.POSITIVE_INFINITY): string {
  if (rows.length === 0) return 'No rows.';
  const header = names.map((name) => printableLine(name));
  const cells = rows.map((row) => row.map((value) => (value === null ? 'NULL' : printableLine(value))));
  const table = alignedLines([header, ...cells], types.map(isNumberType));
  if (table.every((line) => textWidth(line) <= width)) return table.join('\n');
  return cells
    .map((row) => alignedLines(row.map((value, column) => [header[column] ?? '', value])).join('\n'))
    .join('\n\n');
}
