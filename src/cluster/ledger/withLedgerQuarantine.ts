import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Control } from './control.ts';
import { copyNotes } from './copyNotes.ts';
import { plain } from './plain.ts';

/**
 * Lets work see the ledger's quarantine in a database of this machine, as a warehouse has it. Entries that it accepts or reopens there are
 * noted in the ledger at the end, and no others.
 */
export async function withLedgerQuarantine<T>(
  control: Control,
  scratch: Warehouse,
  work: (scratch: Warehouse) => Promise<T>,
): Promise<T> {
  await copyNotes(control, scratch, 'quarantine', 'id');
  await scratch.run('CREATE OR REPLACE TEMP TABLE firn_before AS SELECT id, accepted_at FROM firn.quarantine');
  const value = await work(scratch);
  const changed = await scratch.query(
    `SELECT q.id, q.accepted_at, q.accepted_because FROM firn.quarantine AS q JOIN temp.firn_before AS b USING (id)
     WHERE q.accepted_at IS DISTINCT FROM b.accepted_at`,
  );
  if (changed.length > 0)
    await control.query(
      `UPDATE firn.quarantine AS q SET accepted_at = n.accepted_at, accepted_because = n.accepted_because
       FROM json_populate_recordset(NULL::firn.quarantine, $1) AS n WHERE n.id = q.id`,
      [JSON.stringify(changed.map(plain))],
    );
  return value;
}
