import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { FirnError } from '../core/firnError.ts';

/** A `.sql` file: a block comment whose text is YAML that says what it is, then one SELECT. */
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
  const [all, comment] = /^\/\*\r?\n(.*?)^\*\/\s*/ms.exec(text) ?? [];
  if (all === undefined || comment === undefined) {
    throw new FirnError('failed', `${path}:1: write a header first: a line /*, fields as YAML, a line */.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(comment, { lineCounter: lines });
  // The first line of the file opens the comment.
  const at = (offset: number) => `${path}:${lines.linePos(offset).line + 1}`;
  const [broken] = document.errors;
  if (broken) {
    const [what = ''] = broken.message.split(/ at line \d+/);
    throw new FirnError('failed', `${at(broken.pos[0])}: the header is not YAML: ${what}.`, { cause: broken });
  }
  const { success, data, error } = schema.safeParse(document.toJS() ?? {}, { error: inWords });
  if (!success) {
    const wrong = error.issues.map((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
      return `${at(offsetOf(document, keys))}: the header's ${keys.join('.')}: ${issue.message}.`;
    });
    throw new FirnError('failed', wrong.join('\n'));
  }
  const line = all.split('\n').length;
  return { header: data, sql: text.slice(all.length).trim().replace(/\s*;$/, ''), line };
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
