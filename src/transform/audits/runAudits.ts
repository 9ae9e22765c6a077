import { FirnError } from '../../core/firnError.ts';
import { groupBy } from '../../core/groupBy.ts';
import { literal, literalOrNull } from '../../core/text/sqlText.ts';
import { newestLoad } from '../../load/commit/checkpoints.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { sha256 } from '../../load/sha256.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { mapAtOnce } from '../mapAtOnce.ts';
import { modelReferences } from '../models/modelReferences.ts';
import { withScope } from '../scope.ts';
import { sqlError } from '../sqlError.ts';
import type { Audit } from './parseAudit.ts';
import { readAudits } from './readAudits.ts';

export interface AuditOptions {
  readonly runId?: string;
  /** The audits to run. Default: those of the package. */
  readonly audits?: readonly Audit[];
  /** Relations that could not be built, by lower-case names: an audit that reads one can say nothing. */
  readonly leftOut?: ReadonlySet<string>;
  /** Looks for the rows elsewhere than in the warehouse, and at all of them. */
  readonly look?: (audit: Audit) => Promise<FailedRows>;
  /** Audits that look at once. */
  readonly atOnce?: number;
}

/** What an audit found: how many rows, three of them as JSON, and the relations that they name, separated by spaces. */
export interface FailedRows {
  readonly failed: bigint;
  readonly example: string | null;
  readonly relations: string | null;
}

/** A query that must return no rows, and how many it returned. */
export interface AuditResult extends Pick<Audit, 'name' | 'file' | 'description' | 'severity'> {
  /** Relations that it is about: as the header names them, or those that the rows name in a column `relation`. */
  readonly protects: readonly string[];
  readonly failedRows: number;
  /** Up to three of the rows, as JSON; null where there are none. */
  readonly example: string | null;
  /** Why the query could not be run, with file and line; null where it could. */
  readonly problem: string | null;
  readonly seconds: number;
}

/** Whether an audit found something, or could not be run. */
export const hasFailed = ({ failedRows, problem }: AuditResult): boolean => failedRows > 0 || problem !== null;

/**
 * Runs every audit of `sql/audits` and notes the results in `firn.audit`. Audits over raw rows look only at loads that did not pass
 * before (`in_new_loads`), so that their cost does not grow with the history; one whose SQL changed looks at all. One that cannot be run says
 * why, and the others are run.
 *
 * @returns results of the audits whose relations are there
 * @throws what keeps any audit from being run, such as FirnError `disk` or `unavailable`; nothing is noted then
 */
export async function runAudits(warehouse: Warehouse, options: AuditOptions = {}): Promise<AuditResult[]> {
  const { leftOut = new Set<string>() } = options;
  const audits = options.audits ?? (await readAudits());
  const judged = leftOut.size === 0 ? audits : await withoutReaders(warehouse, audits, leftOut);
  const newest = await newestLoad(warehouse);
  const states = await warehouse.query<{ name: string; load_id: bigint; sql_hash: string | null }>(
    'SELECT name, load_id, sql_hash FROM firn.audit_state',
  );
  const passed = new Map(states.map(({ name, load_id, sql_hash }) => [`${name} ${sql_hash}`, load_id]));
  const since = (audit: Audit) => passed.get(`${audit.name} ${auditHash(audit)}`);
  const run = (some: readonly Audit[], look: NonNullable<AuditOptions['look']>) =>
    mapAtOnce(some, options.atOnce ?? 1, (audit) => runAudit(audit, look));
  const results = options.look
    ? await run(judged, options.look)
    : await inScopes(warehouse, judged, since, (some) => run(some, (audit) => failedRows(warehouse, audit)));
  await warehouse.transaction((tx) => noteResults(tx, audits, results, options.runId ?? '', newest));
  return results;
}

/**
 * Runs audits that passed up to the same load in one scope, which mostly are all: to set and unset it for each took a fourteenth of a build after a few
 * blocks. Gives the results in the order of the audits.
 */
async function inScopes(
  warehouse: Warehouse,
  audits: readonly Audit[],
  since: (audit: Audit) => bigint | undefined,
  run: (some: readonly Audit[]) => Promise<AuditResult[]>,
): Promise<AuditResult[]> {
  const results = new Map<string, AuditResult>();
  for (const [load, some] of groupBy(audits, since)) {
    const look = () => run(some);
    const found = await (load === undefined ? look() : withScope(warehouse, { firn_audited_load: load }, look));
    for (const result of found) results.set(result.name, result);
  }
  return audits.flatMap(({ name }) => results.get(name) ?? []);
}

/** By this it is known whether an audit claims what it claimed when it last passed. */
export const auditHash = ({ sql }: Pick<Audit, 'sql'>): string => sha256(sql);

/** The audits that read none of these. */
async function withoutReaders(
  warehouse: Warehouse,
  audits: readonly Audit[],
  leftOut: ReadonlySet<string>,
): Promise<Audit[]> {
  const read = await modelReferences(warehouse, audits);
  return audits.filter(({ name }) => {
    const found = read.get(name);
    return (
      !found || found instanceof FirnError || !found.relations.some((relation) => leftOut.has(relation.toLowerCase()))
    );
  });
}

async function runAudit(audit: Audit, look: NonNullable<AuditOptions['look']>): Promise<AuditResult> {
  const startedAt = performance.now();
  const { name, file, description, severity, protects } = audit;
  let problem: string | null = null;
  const { failed, example, relations } = await look(audit).catch((error: unknown) => {
    if (error instanceof FirnError && !isOfAudit(error)) throw error;
    const { message } = sqlError(audit, error);
    problem = error instanceof FirnError ? `${file}: ${message}` : message;
    return nothing;
  });
  return {
    name,
    file,
    description,
    severity,
    protects: relations?.split(' ') ?? protects,
    failedRows: Number(failed),
    example,
    problem,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/** A full disk or a Trino that does not answer is no finding; a query that takes more than Trino gives to one may always take that. */
const isOfAudit = ({ code, context }: FirnError): boolean =>
  code === 'failed' || /^EXCEEDED_|^CLUSTER_OUT_OF_MEMORY$/.test(context.reason ?? '');

const nothing: FailedRows = { failed: 0n, example: null, relations: null };

async function failedRows(warehouse: Warehouse, { sql }: Audit): Promise<FailedRows> {
  const [row] = await warehouse.query<FailedRows>(
    `WITH failed AS MATERIALIZED (${sql}
     )
     SELECT (SELECT count(*) FROM failed) AS failed,
       (SELECT CAST(to_json(list(f)) AS VARCHAR) FROM (FROM failed LIMIT 3) AS f) AS example,
       (SELECT string_agg(DISTINCT json_extract_string(to_json(f), '$.relation'), ' ') FROM failed AS f) AS relations`,
  );
  return row ?? nothing;
}

/** Results of an audit that are kept. */
const mostResults = 500;

/** What an audit found, as SQL. */
const found = 'to_json([CAST(failed_rows AS VARCHAR), example, severity, problem])';

/** Notes what audits found. What is the same as before takes its place. */
async function noteResults(
  tx: Statements,
  audits: readonly Audit[],
  results: readonly AuditResult[],
  runId: string,
  load: bigint,
): Promise<void> {
  // The newest result of each is told for as long as it is the newest: not of one that is no more, nor by a clock that was ahead.
  const names = audits.map(({ name }) => literal(name)).join(', ');
  await tx.run(`DELETE FROM firn.audit WHERE ${names && `name NOT IN (${names}) OR `}checked_at > now()::TIMESTAMP`);
  if (results.length === 0) return;
  const rows = results.map(
    ({ name, failedRows: failed, example, severity, problem }) =>
      `(${literal(name)}, ${literal(runId)}, now()::TIMESTAMP, ${failed}, ${literalOrNull(example)}, ${literal(severity)}, ${literalOrNull(problem)})`,
  );
  await tx.run(
    `INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, example, severity, problem) VALUES ${rows.join(', ')}`,
  );
  // Forty rows a build would be two million a year, and each version for readers has them all.
  await tx.run(
    `DELETE FROM firn.audit WHERE rowid IN (
       SELECT row FROM (
         SELECT rowid AS row, ${found} AS found, lead(${found}) OVER (PARTITION BY name ORDER BY checked_at, rowid) AS next FROM firn.audit
       ) WHERE next = found
     )`,
  );
  // One whose finding changes each time takes a row a build all the same.
  await tx.run(
    `DELETE FROM firn.audit WHERE rowid IN (
       SELECT rowid FROM firn.audit QUALIFY row_number() OVER (PARTITION BY name ORDER BY checked_at DESC, rowid DESC) > ${mostResults}
     )`,
  );
  const sound = new Set(results.filter((result) => !hasFailed(result)).map(({ name }) => name));
  const passed = audits.filter(({ name }) => sound.has(name));
  if (passed.length === 0) return;
  await tx.run(`
    DELETE FROM firn.audit_state WHERE name IN (${passed.map(({ name }) => literal(name)).join(', ')});
    INSERT INTO firn.audit_state (name, load_id, sql_hash)
    VALUES ${passed.map((audit) => `(${literal(audit.name)}, ${load}, '${auditHash(audit)}')`).join(', ')}`);
}
