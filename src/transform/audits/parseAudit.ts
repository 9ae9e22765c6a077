import { basename } from 'node:path';
import { z } from 'zod';
import type { SqlPlace } from '../sqlError.ts';
import { parseSqlFile } from '../sqlFile.ts';

/** A query of `sql/audits` that must return no rows, with what its header says. */
export interface Audit extends SqlPlace {
  /** `assert_<claim>`, the name of its file. */
  readonly name: string;
  /** The claim in words. */
  readonly description: string;
  /** The relations that the claim is about; a name may end in `*`. */
  readonly protects: readonly string[];
  /**
   * `blocks`: the rows it finds show that our own data is not whole, so what it protects keeps its last good version. `warns`: two sources
   * disagree, which is published and shown.
   */
  readonly severity: 'blocks' | 'warns';
  readonly sql: string;
}

const relation = z
  .string()
  .regex(
    /^(raw|staging|mart|firn|refs)\.(\w+|\w*\*)$/,
    'name a relation, such as mart.fct_block or raw.node_containers_p_*',
  );

const header = z.strictObject({
  claim: z.string().min(10),
  protects: z.array(relation).min(1, 'name the relations that the claim is about, such as mart.fct_block'),
  severity: z.enum(['blocks', 'warns'], {
    error: 'write blocks, where what it finds keeps these relations from being published, or warns',
  }),
});

/**
 * Reads an audit file.
 *
 * @throws FirnError `failed` with file and line of what is wrong in the header
 */
export function parseAudit(file: string, text: string): Audit {
  const { header: said, sql, line } = parseSqlFile(file, text, header);
  const { claim: description, protects, severity } = said;
  return { name: basename(file, '.sql'), file, description, protects, severity, sql, line };
}
