import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { openLake } from '../../../src/cluster/lake/openLake.ts';
import { openLakePlace } from '../../../src/cluster/lake/openLakePlace.ts';
import { carryTables, fillKept, fillWorkbench } from '../../../src/cluster/lake/ownTables.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { openDuckDb } from '../../../src/load/openDuckDb.ts';
import { noteRun } from '../../../src/load/runRecords.ts';
import type { PhaseOptions } from '../../../src/run/phases/phaseOptions.ts';
import type { Session } from '../../../src/run/phases/session.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { freshDatabase } from '../postgres.ts';

vi.mock('../../../src/cluster/lake/openLake.ts');

/** A lake as commands of two machines opened it at the same time. */
async function openedTwice() {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  const folders = [await temporary(), await temporary()] as const;
  const stage = await openStage({ uri: folders[1] });
  const file = join(folders[0], 'lake.duckdb');
  const engine = createDuckDbEngine(await openDuckDb({ folders, file }), stage.root);
  onTestFinished(async () => {
    await engine.close();
    await ledger.close();
  });
  const open = async () => {
    const carrier = { workbench: await temporaryWarehouse([]), control, ledger, stage, engine };
    await fillWorkbench(carrier);
    return { ...carrier, builds: createBuilds(control), tables: [], close: async () => {} };
  };
  return [await open(), await open()] as const;
}

test('a command that began before another one built knows what that one holds back, and keeps its run', async () => {
  const [late, quick] = await openedTwice();
  await noteRun(late.workbench, { runId: 'late', command: 'run' });
  await noteRun(quick.workbench, { runId: 'quick', command: 'run', exitCode: 3 });
  await quick.workbench.run(
    `INSERT INTO firn.held_back VALUES ('mart.metric', 'assert_it', TIMESTAMP '2026-11-27 03:04:05.678', 'why')`,
  );
  await carryTables(quick, ['firn.run', 'firn.audit', 'firn.audit_state', 'firn.held_back', 'firn.model']);
  vi.mocked(openLake).mockResolvedValue(late);
  const { works } = await openLakePlace({ catalogue: [] } as unknown as PhaseOptions);
  const told: string[] = [];
  const session = { options: { models: [] }, project: {}, outcome: {}, tell: (of: Error) => told.push(of.message) };
  await works.publish(session as unknown as Session);
  expect(told).toEqual([
    'No version was published, readers see nothing yet: mart.metric is held back by assert_it (why).',
  ]);
  expect(await late.workbench.query('SELECT run_id, exit_code FROM firn.run ORDER BY 1')).toEqual([
    { run_id: 'late', exit_code: null },
    { run_id: 'quick', exit_code: 3 },
  ]);
  await late.ledger.alone('build', () =>
    expect(works.publish(session as unknown as Session)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(/^Process \S+ \d+ builds or publishes since 20[\d-]+T/),
    }),
  );
  // What it holds by now it does not ask for again.
  await fillKept({ ...late, engine: {} as Engine });
  await quick.workbench.run('DELETE FROM firn.held_back');
  await carryTables(quick, ['firn.held_back']);
  await quick.builds.finish([], { modelsHash: 'of others', snapshots: {}, partial: [] });
  await expect(works.publish(session as unknown as Session)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('built by other models'),
  });
});
