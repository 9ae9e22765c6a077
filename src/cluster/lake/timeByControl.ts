import { aheadOf, clockMs } from '../ledger/controlClock.ts';
import type { Carrier } from './ownTables.ts';

/**
 * Gives a run the times of the control database's clock, where that of this machine is apart from it: runs of several machines follow each other by them,
 * and the newest one says how all is.
 */
export async function timeByControl({ workbench, control }: Pick<Carrier, 'workbench' | 'control'>, runId: string) {
  const ahead = await aheadOf(control);
  if (Math.abs(ahead) <= clockMs) return;
  const by = `to_milliseconds(${ahead})`;
  await workbench.run(
    `UPDATE firn.run SET started_at = started_at + ${by}, finished_at = finished_at + ${by} WHERE run_id = $1`,
    [runId],
  );
}
