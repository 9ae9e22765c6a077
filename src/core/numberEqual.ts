import { jsonText } from './columns.ts';
import type { Row } from './columnType.ts';

/**
 * Numbers rows that their source gives no key of their own: `position` counts only those that are alike in the rest of the
 * key, so that it is the same in whatever order the rows come, and on whichever page.
 *
 * @param key the table's; what all rows share may be left out
 */
export function numberEqual(rows: readonly Row[], key: readonly string[]): void {
  const rest = key.filter((name) => name !== 'position');
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    row['position'] = 0;
    const text = rest.map((name) => String(row[name])).join('\u0000');
    const alike = groups.get(text);
    if (alike) alike.push(row);
    else groups.set(text, [row]);
  }
  for (const alike of groups.values()) {
    if (alike.length === 1) continue;
    // What the key leaves out may still differ.
    const texts = new Map(alike.map((row) => [row, jsonText(row)]));
    alike
      .sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
      .forEach((row, position) => {
        row['position'] = position;
      });
  }
}
