import { z } from 'zod';

/** Rows as a text: names of columns, then one row a line, cells between ` | `; an empty cell is NULL, `\|` is a bar. */
export const rows = z.string().transform((text) => {
  const [names = [], ...cells] = text.trimEnd().split('\n').map(cellsOf);
  return { names, cells };
});
export type Rows = z.output<typeof rows>;

const cellsOf = (line: string): string[] =>
  line.split(/(?<![|\\])\|(?!\|)/).map((cell) => cell.trim().replaceAll('\\|', '|'));
