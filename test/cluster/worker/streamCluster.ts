import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { applyNow } from '../../../src/cluster/worker/applyOnSchedule.ts';
import { runWorker } from '../../../src/cluster/worker/runWorker.ts';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { emptyWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { freshDatabase } from '../postgres.ts';

/** A cluster that reads one stream into a DuckDB, until the test ends. `run` lets every look be due again first. */
export async function streamCluster(stream: Stream) {
  const [folder, stageFolder] = [await temporary(), await temporary()];
  const control = await openControl(await freshDatabase());
  const [ledger, stage] = [await openLedger(control), await openStage({ uri: stageFolder })];
  const file = join(folder, 'lake.duckdb');
  const engine = createDuckDbEngine(await openDuckDb({ folders: [folder, stageFolder], file }), stage.root);
  onTestFinished(async () => {
    await engine.close();
    await control.close();
  });
  const lake = { engine, tables: lakeTables([stream]) };
  const signal = new AbortController().signal;
  const run = async ({ timing, ...more }: Partial<WorkerOptions> & Pick<WorkerOptions, 'fetch'>) => {
    await control.query('UPDATE firn.part SET due_at = now()');
    await runWorker({
      ledger,
      stage,
      lake,
      applyRest: () => applyNow({ lake: more.lake ?? lake, ledger, signal }),
      planned: [{ pipeline: 'p', stream, parameters: {} }],
      network: { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] },
      scratch: await emptyWarehouse(),
      owner: 'one',
      signal,
      untilIdle: true,
      atOnce: 1,
      timing: { look: 3_600_000, idle: 20, ...timing },
      ...more,
    });
  };
  return { run, control, ledger, stage, engine, lake };
}
