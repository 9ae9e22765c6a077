import { literal } from '../../core/text/sqlText.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { type AuditResult, auditHash, hasFailed } from '../../transform/audits/runAudits.ts';
import type { Scope } from '../../transform/scope.ts';

/**
 * Which rows each audit looks at: those of loads that no build shows yet, if it found nothing when it last ran and its SQL is the same, and
 * all rows otherwise. A load with a lower number may come last (two workers), so everything from the lowest of these numbers on is looked at.
 *
 * @param workbench holds the results of audits, as all commands left them
 * @param loads those that no build shows
 */
export async function auditScopes(
  workbench: Pick<Warehouse, 'query'>,
  loads: readonly number[],
): Promise<(audit: Pick<Audit, 'name' | 'sql'>) => Scope> {
  const rows = await workbench.query<{ name: string; sql_hash: string }>(
    `SELECT name, any_value(sql_hash) AS sql_hash FROM firn.audit JOIN firn.audit_state USING (name)
     GROUP BY name HAVING arg_max(failed_rows = 0 AND problem IS NULL, checked_at)`,
  );
  const passed = new Map(rows.map(({ name, sql_hash }) => [name, sql_hash]));
  const before = loads.reduce((lowest, load) => Math.min(lowest, load), Number.MAX_SAFE_INTEGER) - 1;
  return (audit) => (passed.get(audit.name) === auditHash(audit) ? { firn_audited_load: BigInt(before) } : {});
}

/**
 * Has audits that found something, or did not run, look at all rows the next time: which result is the newest, their times do not tell where the clocks
 * of machines are apart.
 */
export async function forgetFailed(
  workbench: Pick<Warehouse, 'run'>,
  audits: readonly Pick<Audit, 'name'>[],
  results: readonly AuditResult[],
): Promise<void> {
  const passed = new Set(results.filter((result) => !hasFailed(result)).map(({ name }) => name));
  const names = audits.filter(({ name }) => !passed.has(name)).map(({ name }) => literal(name));
  if (names.length > 0) await workbench.run(`DELETE FROM firn.audit_state WHERE name IN (${names.join(', ')})`);
}
