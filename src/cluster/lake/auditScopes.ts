import type { Warehouse } from '../../load/warehouse.ts';
import type { Scope } from '../../transform/scope.ts';

/**
 * At what each audit looks: at loads that no build shows, where it found nothing when it was last run, and at all rows otherwise. Loads are not
 * new by having later numbers (of two workers the earlier number may come last): so the earliest of them says from where on.
 *
 * @param workbench holds the results of audits, as all commands left them
 * @param loads those that no build shows
 */
export async function auditScopes(
  workbench: Pick<Warehouse, 'query'>,
  loads: readonly number[],
): Promise<(audit: string) => Scope> {
  const rows = await workbench.query<{ name: string }>(
    'SELECT name FROM firn.audit GROUP BY name HAVING arg_max(failed_rows = 0 AND problem IS NULL, checked_at)',
  );
  const passed = new Set(rows.map(({ name }) => name));
  const before = Math.min(Number.MAX_SAFE_INTEGER, ...loads) - 1;
  return (audit) => (passed.has(audit) ? { firn_audited_load: BigInt(before) } : {});
}
