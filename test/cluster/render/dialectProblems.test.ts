import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlFolder } from '../../src/load/sqlFolder.ts';

const files = (['models', 'audits'] as const).flatMap((folder) =>
  readdirSync(sqlFolder(folder), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => [`${folder}/${file}`, readFileSync(join(sqlFolder(folder), file), 'utf8')] as const),
);

/** SQL without comments, without its header, and without what stands in quotes. */
const bare = (sql: string) =>
  sql
    .replace(/^\/\*.*?\*\//s, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/--.*$/gm, '');

/** What DuckDB, Trino and Spark read differently, or what is inexact; the macros of `sql/schema/003_macros.sql` stand for it. */
const forbidden: readonly (readonly [string, RegExp])[] = [
  ['// (whole_quotient)', /\/\//],
  ['/ (quotient)', /\//],
  ['date_diff (seconds_between)', /\bdate_?diff\s*\(/i],
  ['avg (sums, and quotient)', /\bavg\s*\(/i],
  ['GROUP BY ALL', /\bGROUP\s+BY\s+ALL\b/i],
  ['arg_max', /\b(arg_max|arg_min|max_by|min_by)\s*\(/i],
  ['approximate counts', /\bapprox_\w+\s*\(/i],
  ['SELECT DISTINCT ON', /\bDISTINCT\s+ON\b/i],
];

test.each(files)('%s does without what engines read differently', (_, sql) => {
  const found = forbidden.filter(([, pattern]) => pattern.test(bare(sql))).map(([name]) => name);
  expect(found).toEqual([]);
});
