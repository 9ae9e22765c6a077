import { FirnError } from '../core/firnError.ts';
import type { KeptAs, Model } from './model.ts';

/**
 * Reads a model file: comment lines first, then one SELECT. The comment is free text with fields at its end: `Kept as:`, `Variants:`, and
 * `Columns:`, which is followed by one indented `name: description` a line.
 *
 * @param name `schema.table`, from the file's place
 * @throws FirnError `failed` when the header does not say how the model is kept
 */
export function parseModel(name: string, file: string, text: string): Model {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const header = lines.slice(0, end).map((line) => line.slice(2));
  const columnsAt = header.findIndex((line) => line.trim() === 'Columns:');
  const above = columnsAt === -1 ? header : header.slice(0, columnsAt);
  const columns = columnsAt === -1 ? [] : header.slice(columnsAt + 1);
  return {
    name,
    file,
    sql: lines.slice(end).join('\n').trim().replace(/\s*;$/, ''),
    description: unwrap(untilField(above).join('\n')),
    keptAs: keptAs(file, field(above, 'Kept as')),
    variants: variants(field(above, 'Variants')),
    columns: Object.fromEntries(
      columns.flatMap((line) => {
        const [, column, description] = /^\s+(\w+): (.*)$/.exec(line) ?? [];
        return column && description ? [[column, description]] : [];
      }),
    ),
  };
}

const unwrap = (text: string) => text.trim().replace(/\n\s*/g, ' ');

const untilField = (lines: readonly string[]) => {
  const at = lines.findIndex((line) => /^ (Kept as|Variants): /.test(line));
  return at === -1 ? lines : lines.slice(0, at);
};

/** A field goes on until the next line that begins one. */
function field(lines: readonly string[], name: string): string {
  const at = lines.findIndex((line) => line.startsWith(` ${name}: `));
  if (at === -1) return '';
  const rest = lines.slice(at + 1);
  const next = rest.findIndex((line) => /^ [A-Z][\w ]*: /.test(line));
  return unwrap([lines[at]?.slice(name.length + 3), ...(next === -1 ? rest : rest.slice(0, next))].join('\n'));
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

/** `name (what is different), name, name (…)` */
function variants(text: string): Record<string, string> {
  const names = text.matchAll(/([a-z]\w*)(?: \(([^)]*)\))?(?:,|$)/g);
  return Object.fromEntries([...names].map(([, name = '', what = '']) => [name, what]));
}
