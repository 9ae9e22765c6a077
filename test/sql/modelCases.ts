import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { literal } from '../../src/core/text/sqlText.ts';
import { type Rows, rows } from './rows.ts';

const cases = z.array(
  z.strictObject({
    /** What it shows. */
    case: z.string().min(10),
    /** The load up to which an audit has passed before. Default: it looks at all rows. */
    passed: z.coerce.number().optional(),
    /** What stands for $1, $2, ... */
    parameters: z.array(z.string()).default([]),
    given: z.record(z.string().regex(/^\w+\.\w+$/), rows).default({}),
    /** All rows that the model has then, by some of its columns. */
    expect: rows,
    /** The same for readings of a metric's definition, by name. */
    variants: z.record(z.string(), rows).default({}),
  }),
);

/** `place`: its file and line. */
export type ModelCase = z.output<typeof cases>[number] & { readonly place: string };

/** The cases of `test/sql/<name>.yaml`, such as `mart/fct_block.yaml` or `audits/assert_blocks_unique.yaml`; none where there is no such file. */
export function modelCases(model: string): ModelCase[] {
  const path = join(import.meta.dirname, `${model.replace('.', '/')}.yaml`);
  if (!existsSync(path)) return [];
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines, schema: 'failsafe' });
  const items = isSeq(document.contents) ? document.contents.items : [];
  const lineOf = (i: number) => {
    const item = items[i];
    return isMap(item) ? lines.linePos(item.range?.[0] ?? 0).line : 1;
  };
  const { data, error } = cases.safeParse(document.toJS());
  if (error) throw new Error(`${path}: ${z.prettifyError(error)}`);
  return data.map((one, i) => ({ ...one, place: `test/sql/${model.replace('.', '/')}.yaml:${lineOf(i)}` }));
}

/** Statement that fills a table with rows; DuckDB casts each text to its column's type. */
export function insertOf(table: string, { names, cells }: Rows): string {
  const values = cells.map((row) => `(${names.map((_, i) => (row[i] ? literal(row[i]) : 'NULL')).join(', ')})`);
  if (values.length === 0) return '';
  return `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES\n  ${values.join(',\n  ')};\n`;
}
