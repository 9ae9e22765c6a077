import { basename } from 'node:path';
import { FirnError } from '../core/firnError.ts';
import { parseSqlFile, unwrap } from './sqlFile.ts';

/**
 * `blocks`: the rows it finds show that our own data is not whole, so what it protects keeps its last good version. `warns`: two sources
 * disagree, which is published and shown.
 */
export type Severity = 'blocks' | 'warns';

/** A query of `sql/audits` that must return no rows, with what its header says. */
export interface Audit {
  /** `assert_<claim>`, the name of its file. */
  readonly name: string;
  /** Path of the file, as messages name it. */
  readonly file: string;
  /** The claim in words. */
  readonly description: string;
  /** The relations that the claim is about; a name may end in `*`. */
  readonly protects: readonly string[];
  readonly severity: Severity;
  readonly sql: string;
  /** The line of the file on which the query begins. */
  readonly line: number;
}

const relation = /^(raw|staging|mart|firn|refs)\.(\w+|\w*\*)$/;

/**
 * Reads an audit file: comment lines with the claim, the fields `Protects:` and `Severity:`, then one SELECT.
 *
 * @throws FirnError `failed` where a field is missing or says what it cannot
 */
export function parseAudit(file: string, text: string): Audit {
  const { description, fields, sql, line } = parseSqlFile(text, ['Protects', 'Severity']);
  const protects = unwrap(fields.get('Protects'))
    .split(',')
    .map((name) => name.trim());
  const wrong = protects.find((name) => !relation.test(name));
  if (wrong !== undefined) {
    throw new FirnError(
      'failed',
      `${file}: the header says "Protects: ${protects.join(', ')}". Name the relations that the claim is about, such as mart.fct_block, raw.node_containers_p_*.`,
    );
  }
  const severity = unwrap(fields.get('Severity'));
  if (severity !== 'blocks' && severity !== 'warns') {
    throw new FirnError(
      'failed',
      `${file}: the header says "Severity: ${severity}". Write blocks, where what it finds keeps these relations from being published, or warns.`,
    );
  }
  return { name: basename(file, '.sql'), file, description, protects, severity, sql, line };
}
