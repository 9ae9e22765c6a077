import { FirnError } from '../core/firnError.ts';
import type { Layout } from '../core/layout.ts';
import type { KeptAs, Model } from './model.ts';
import { parseSqlFile, unwrap } from './sqlFile.ts';

/**
 * Reads a model file: comment lines first, then one SELECT. The comment is free text with fields at its end: `Kept as:`, `Files:`, `Variants:`,
 * and `Columns:`, which is followed by one indented `name: description` a line.
 *
 * @param name `schema.table`, from the file's place
 * @throws FirnError `failed` when the header does not say how the model is kept
 */
export function parseModel(name: string, file: string, text: string): Model {
  const { description, fields, sql, line } = parseSqlFile(text, ['Kept as', 'Files', 'Variants', 'Columns']);
  return {
    name,
    file,
    sql,
    line,
    description,
    keptAs: keptAs(file, unwrap(fields.get('Kept as'))),
    files: filesOf(file, fields.get('Files')),
    variants: variants(unwrap(fields.get('Variants'))),
    columns: Object.fromEntries(
      (fields.get('Columns') ?? []).flatMap((entry) => {
        const [, column, said] = /^\s+(\w+): (.*)$/.exec(entry) ?? [];
        return column && said ? [[column, said]] : [];
      }),
    ),
  };
}

function keptAs(file: string, text: string): KeptAs {
  if (text === 'view') return { kind: 'view' };
  if (text === 'table') return { kind: 'table' };
  if (text === 'table by bucket') return { kind: 'buckets' };
  const [, kind, names] = /^(table|earliest) by ([\w, ]+)$/.exec(text) ?? [];
  if (kind === 'table' && names) return { kind: 'hours', column: names };
  if (kind === 'earliest' && names) return { kind: 'earliest', key: names.split(', ') };
  throw new FirnError(
    'failed',
    `${file}: the header says "Kept as: ${text}". Write view, table, table by <time column>, table by bucket, or earliest by <key columns>.`,
  );
}

/** `by chain_id, block_time; in order of number, tx_index`: a chain and a time, a time alone, or neither, which is one file. */
function filesOf(file: string, lines: readonly string[] | undefined): Layout | undefined {
  if (!lines) return undefined;
  const text = unwrap(lines);
  const [, chain, column, sort] = /^(?:by (?:(\w+), )?(\w+); )?in order of (\w+(?:, \w+)*)$/.exec(text) ?? [];
  if (!sort) {
    throw new FirnError(
      'failed',
      `${file}: the header says "Files: ${text}". Write "in order of <columns>", and for what grows "by <chain column>, <time column>; " before it.`,
    );
  }
  return {
    ...(chain && { chain }),
    ...(column && { by: { kind: 'time', column } }),
    sort: sort.split(', '),
  };
}

/** `name (what is different), name, name (…)` */
function variants(text: string): Record<string, string> {
  const names = text.matchAll(/([a-z]\w*)(?: \(([^)]*)\))?(?:,|$)/g);
  return Object.fromEntries([...names].map(([, name = '', what = '']) => [name, what]));
}
