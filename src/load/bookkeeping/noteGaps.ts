import { querySql } from '../packageFiles.ts';
import type { Warehouse } from '../state/warehouse.ts';

/**
 * Makes `firn.gap` say what is known to be missing now: records in quarantine were accepted, reopened or read since. Where a hole is no longer
 * known, audits look at everything again: what passed because of it may not.
 */
export function noteGaps(warehouse: Warehouse): Promise<void> {
  const known = `(${querySql('known_gaps')})`;
  return warehouse.transaction(async (tx) => {
    const gone = await tx.run(`DELETE FROM firn.gap AS g WHERE g NOT IN (SELECT k FROM ${known} AS k)`);
    await tx.run(`INSERT INTO firn.gap ${known} EXCEPT FROM firn.gap`);
    if (gone > 0) await tx.run('DELETE FROM firn.audit_state');
  });
}
