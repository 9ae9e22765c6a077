import type { Warehouse } from '../../load/warehouse.ts';

/** Notes in `firn.run` that a command writes to the warehouse. One that opens it several times is one run. */
export async function noteRun(
  warehouse: Warehouse,
  runId: string,
  command: string,
  exitCode: number | null,
): Promise<void> {
  const [known] = await warehouse.query('SELECT 1 AS one FROM firn.run WHERE run_id = $1', [runId]);
  if (!known) {
    await warehouse.run('INSERT INTO firn.run VALUES ($1, $2, now()::TIMESTAMP, NULL, NULL, NULL)', [runId, command]);
  }
  if (exitCode === null) return;
  await warehouse.run('UPDATE firn.run SET finished_at = now()::TIMESTAMP, exit_code = $1 WHERE run_id = $2', [
    exitCode,
    runId,
  ]);
}
