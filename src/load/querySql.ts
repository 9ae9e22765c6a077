import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFolder } from './sqlFolder.ts';

/**
 * A query of `sql/queries`.
 *
 * @param parts SQL that stands for `{name}` in it, where no parameter can
 */
export function querySql(name: string, parts: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(sqlFolder('queries'), `${name}.sql`), 'utf8');
  const sql = text.replace(/^(--.*\n)+/, '').trimEnd();
  return sql.replace(/\{(\w+)\}/g, (all, part: string) => parts[part] ?? all);
}
