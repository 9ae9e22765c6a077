import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { FirnError } from '../core/firnError.ts';

/** A `.sql` file: a block comment whose text is YAML that says what it is, then one SELECT. Comments of a line may come first. */
export interface SqlFile<Header> {
  readonly header: Header;
  /** The SELECT alone, its lines as they are in the file. */
  readonly sql: string;
  /** The line of the file on which the SELECT begins, from 1. */
  readonly line: number;
}

/**
 * Reads a `.sql` file and checks its header.
 *
 * @param path of the file, for messages
 * @throws FirnError `failed` with file and line of everything that is wrong in the header
 */
export function parseSqlFile<Schema extends z.ZodType>(
  path: string,
  text: string,
  schema: Schema,
): SqlFile<z.output<Schema>> {
  const [all, before, comment] = begin.exec(text) ?? [];
  if (all === undefined || before === undefined || comment === undefined)
    throw new FirnError('failed', `${path}:1: write a header first: a line /*, fields as YAML, a line */.`);
  const lines = new LineCounter();
  const document = parseDocument(comment, { lineCounter: lines });
  // A line of its own opens the comment.
  const at = (offset: number) => `${path}:${before.split('\n').length + lines.linePos(offset).line}`;
  const noYaml = (offset: number, cause: Error) => {
    const [what = ''] = cause.message.split(/ at line \d+/);
    return new FirnError('failed', `${at(offset)}: the header is not YAML: ${what}.`, { cause });
  };
  const [broken] = document.errors;
  if (broken) throw noYaml(broken.pos[0], broken);
  const { success, data, error } = schema.safeParse(said(document, noYaml) ?? {}, { error: inWords });
  if (!success) {
    const wrong = error.issues.map((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
      return `${at(offsetOf(document, keys))}: the header's ${keys.join('.')}: ${issue.message}.`;
    });
    throw new FirnError('failed', wrong.join('\n'));
  }
  const line = all.split('\n').length;
  return { header: data, sql: withoutSemicolon(text.slice(all.length)), line };
}

/** What comes before the header, the header, and the space behind it. */
const begin = /^((?:\s|(?:--[^\n]*|\/\*[^\n]+\*\/[^\S\n]*)\n)*)\/\*\r?\n(.*?)(?<=\n)\*\/\s*/s;

/** @throws what is made of an alias that names nothing, as a text is that begins with `*` */
function said(document: Document, noYaml: (offset: number, cause: Error) => Error): unknown {
  try {
    return document.toJS();
  } catch (error) {
    let offset = 0;
    visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document) === undefined) offset = alias.range?.[0] ?? 0;
      },
    });
    throw noYaml(offset, error as Error);
  }
}

/** A statement without the semicolon that ends it, behind which comments may stand. */
function withoutSemicolon(sql: string): string {
  const parts = sql.match(/'[^']*'|"[^"]*"|--[^\n]*|\/\*.*?\*\/|[^'"/;-]+|./gs) ?? [];
  const last = parts.findLastIndex((part) => !/^(?:\s+$|--|\/\*)/.test(part));
  return (parts[last] === ';' ? parts.toSpliced(last, 1) : parts).join('').trim();
}

/** What to write, in place of zod's own words; undefined where these tell it. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'there is no such field';
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'it is missing';
  return issue.code === 'too_small' && issue.origin === 'string' ? `write ${issue.minimum} letters or more` : undefined;
}

/** Where a field is, or where it should be. */
function offsetOf(document: Document, keys: readonly PropertyKey[]): number {
  for (let depth = keys.length; depth > 0; depth--) {
    const node = document.getIn(keys.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
