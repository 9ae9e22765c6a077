import { FirnError } from '../core/firnError.ts';
import type { Statements } from '../load/transaction.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { modelReferences } from './modelReferences.ts';
import type { Audit, Severity } from './parseAudit.ts';
import { readAudits } from './readAudits.ts';
import { withScope } from './scope.ts';
import { sqlError } from './sqlError.ts';

export interface AuditOptions {
  readonly runId?: string;
  /** Look at all rows again, also at those of loads that passed before. */
  readonly full?: boolean;
  /** Other audits than those of the package. */
  readonly audits?: readonly Audit[];
  /** Relations that could not be built, by lower-case names: an audit that reads one can say nothing. */
  readonly leftOut?: ReadonlySet<string>;
  readonly log?: (message: string) => void;
}

/** A query that must return no rows, and how many it returned. */
export interface AuditResult {
  /** `assert_<claim>`, the name of its file. */
  readonly name: string;
  /** Path of the file, as messages name it. */
  readonly file: string;
  /** The claim in words. */
  readonly description: string;
  readonly severity: Severity;
  /** Relations that it is about: as the header names them, or those that the rows name in a column `relation`. */
  readonly protects: readonly string[];
  readonly failedRows: number;
  /** Up to three of the rows, as JSON; null where there are none. */
  readonly example: string | null;
  /** Why the query could not be run, with file and line; null where it was. */
  readonly problem: string | null;
  readonly seconds: number;
}

/** Whether an audit found something, or could not look. */
export const hasFailed = ({ failedRows, problem }: AuditResult): boolean => failedRows > 0 || problem !== null;

/**
 * Runs every audit of `sql/audits` and notes the results in `firn.audit`. Audits over raw rows look only at loads that did not pass
 * before (`in_new_loads`), so that their cost does not grow with the history. One that cannot be run says why, and the others are run.
 *
 * @returns results of the audits that could say something
 */
export async function runAudits(warehouse: Warehouse, options: AuditOptions = {}): Promise<AuditResult[]> {
  const { leftOut = new Set<string>() } = options;
  const audits = options.audits ?? (await readAudits());
  const judged = leftOut.size === 0 ? audits : await withoutReaders(warehouse, audits, leftOut);
  const [newest] = await warehouse.query<{ load_id: bigint }>(
    'SELECT coalesce(max(load_id), 0) AS load_id FROM firn.load',
  );
  const results: AuditResult[] = [];
  for (const audit of judged) {
    const { path, line } = placeOf(audit);
    const result = await runAudit(warehouse, audit, options.full === true);
    const { failedRows, example, problem } = result;
    if (problem !== null) options.log?.(problem);
    if (failedRows > 0) options.log?.(`${path}:${line}: ${failedRows} rows, such as ${example}`);
    results.push(result);
  }
  await warehouse.transaction((tx) => noteResults(tx, results, options.runId ?? '', newest?.load_id ?? 0n));
  return results;
}

/** The audits that read none of these. */
async function withoutReaders(
  warehouse: Warehouse,
  audits: readonly Audit[],
  leftOut: ReadonlySet<string>,
): Promise<Audit[]> {
  const read = await modelReferences(
    warehouse,
    audits.map((audit) => ({ ...audit, place: placeOf(audit) })),
  );
  return audits.filter(({ name }) => {
    const found = read.get(name);
    return (
      !found || found instanceof FirnError || !found.relations.some((relation) => leftOut.has(relation.toLowerCase()))
    );
  });
}

const placeOf = ({ file, line }: Audit) => ({ path: file, line });

async function runAudit(warehouse: Warehouse, audit: Audit, full: boolean): Promise<AuditResult> {
  const begun = performance.now();
  const { name, file, description, severity, protects } = audit;
  const result = (
    found: Pick<AuditResult, 'failedRows' | 'example' | 'problem'> & Partial<AuditResult>,
  ): AuditResult => ({
    name,
    file,
    description,
    severity,
    protects,
    ...found,
    seconds: (performance.now() - begun) / 1000,
  });
  try {
    const [row] = await failedRows(warehouse, audit, full);
    const failed = Number(row?.failed ?? 0);
    if (failed === 0) return result({ failedRows: 0, example: null, problem: null });
    const named = row?.relations ? { protects: row.relations.split(' ') } : {};
    return result({ failedRows: failed, example: row?.example ?? null, problem: null, ...named });
  } catch (error) {
    // A full disk is not an audit's finding.
    if (error instanceof FirnError && error.code === 'disk') throw error;
    const { message } = sqlError(placeOf(audit), error);
    const problem = error instanceof FirnError ? `${placeOf(audit).path}: ${message}` : message;
    return result({ failedRows: 0, example: null, problem });
  }
}

async function failedRows(warehouse: Warehouse, { name, sql }: Audit, full: boolean) {
  const [passed] = full
    ? []
    : await warehouse.query<{ load_id: bigint }>('SELECT load_id FROM firn.audit_state WHERE name = $1', [name]);
  const rows = () =>
    warehouse.query<{ failed: bigint; example: string | null; relations: string | null }>(
      `WITH failed AS MATERIALIZED (${sql}
       )
       SELECT (SELECT count(*) FROM failed) AS failed,
         (SELECT CAST(to_json(list(f)) AS VARCHAR) FROM (FROM failed LIMIT 3) AS f) AS example,
         (SELECT string_agg(DISTINCT json_extract_string(to_json(f), '$.relation'), ' ') FROM failed AS f) AS relations`,
    );
  return passed ? withScope(warehouse, { firn_audited_load: passed.load_id }, rows) : rows();
}

async function noteResults(
  tx: Statements,
  results: readonly AuditResult[],
  runId: string,
  load: bigint,
): Promise<void> {
  for (const { name, failedRows: failed, example, severity, problem } of results) {
    await tx.run(
      `INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, example, severity, problem)
       VALUES ($1, $2, now()::TIMESTAMP, $3, $4, $5, $6)`,
      [name, runId, BigInt(failed), example, severity, problem],
    );
    if (failed > 0 || problem !== null) continue;
    await tx.run('DELETE FROM firn.audit_state WHERE name = $1', [name]);
    await tx.run('INSERT INTO firn.audit_state VALUES ($1, $2)', [name, load]);
  }
}
