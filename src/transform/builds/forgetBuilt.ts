import type { Warehouse } from '../../load/state/warehouse.ts';

/** Forgets of what was built, and what audits have seen: the next build makes every model anew, and every audit looks at all. */
export const forgetBuilt = (warehouse: Warehouse): Promise<void> =>
  warehouse.transaction(async (tx) => {
    await tx.run(`UPDATE firn.build_state SET models_hash = '', files_hash = ''; DELETE FROM firn.audit_state`);
  });
