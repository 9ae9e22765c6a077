import { groupBy } from '../groupBy.ts';
import { jsonText } from '../json/jsonText.ts';
import type { Rows } from './rows.ts';

/**
 * Numbers rows that their source gives no key of their own: `position` counts only those that are alike in the rest of the
 * key, so that it is the same in whatever order the rows come, and on whichever page.
 *
 * @param key the table's
 * @param from the first row that is numbered; those before belong to another page or record
 */
export function numberEqual(rows: Rows, key: readonly string[], from = 0): void {
  const position = rows.named('position');
  const rest = key.filter((name) => name !== 'position' && !rows.isConstant(name)).map((name) => rows.named(name));
  const numbered = Array.from({ length: rows.length - from }, (_, i) => from + i);
  for (const row of numbered) rows.set(position, row, 0);
  const keyOf = (row: number) => rest.map((column) => String(rows.value(column, row))).join('\u0000');
  for (const alike of groupBy(numbered, keyOf).values()) {
    if (alike.length === 1) continue;
    // What the key leaves out may still differ.
    const texts = new Map(alike.map((row) => [row, jsonText(rows.row(row))]));
    alike
      .sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
      .forEach((row, place) => {
        rows.set(position, row, place);
      });
  }
}
