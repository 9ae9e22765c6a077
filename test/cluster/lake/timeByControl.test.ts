import { expect, test } from 'vitest';
import { timeByControl } from '../../../src/cluster/lake/timeByControl.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { noteRun } from '../../../src/load/bookkeeping/runRecords.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

test('a run has the times of the control database, whatever the clock of its machine says, and no other run changes', async () => {
  const workbench = await temporaryWarehouse([]);
  const hour = 3_600_000;
  const behind = { query: async () => [{ now: String(Date.now() - 24 * hour) }] } as unknown as Control;
  const alike = { query: async () => [{ now: String(Date.now()) }] } as unknown as Control;
  for (const runId of ['ahead', 'other']) await noteRun(workbench, { runId, command: 'run', exitCode: 0 });
  await timeByControl({ workbench, control: behind }, 'ahead');
  await timeByControl({ workbench, control: alike }, 'other');
  const hours = (of: string) => `round((epoch_ms(${of}) - epoch_ms(now()::TIMESTAMP)) / ${hour})::INTEGER`;
  const told = `SELECT run_id, ${hours('started_at')} AS started, ${hours('finished_at')} AS finished FROM firn.run ORDER BY 1`;
  expect(await workbench.query(told)).toEqual([
    { run_id: 'ahead', started: -24, finished: -24 },
    { run_id: 'other', started: 0, finished: 0 },
  ]);
});
