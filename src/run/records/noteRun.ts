import type { Warehouse } from '../../load/warehouse.ts';

/** What `firn.run` holds of a run. */
export interface RunNote {
  readonly runId: string;
  readonly command: string;
  /** Left out while it goes on. */
  readonly exitCode?: number;
  readonly summary?: object;
}

/** Notes in `firn.run` what a command does to the warehouse. One that opens it several times is one run. */
export async function noteRun(warehouse: Warehouse, { runId, command, exitCode, summary }: RunNote): Promise<void> {
  const [known] = await warehouse.query('SELECT 1 AS one FROM firn.run WHERE run_id = $1', [runId]);
  if (!known) {
    await warehouse.run('INSERT INTO firn.run VALUES ($1, $2, now()::TIMESTAMP, NULL, NULL, NULL)', [runId, command]);
  }
  if (exitCode === undefined) return;
  const text =
    summary && JSON.stringify(summary, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  await warehouse.run(
    'UPDATE firn.run SET finished_at = now()::TIMESTAMP, exit_code = $1, summary = $2 WHERE run_id = $3',
    [exitCode, text ?? null, runId],
  );
}
