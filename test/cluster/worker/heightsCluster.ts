import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDuckDbEngine } from '../../../src/cluster/engine/duckDbEngine.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { applyNow } from '../../../src/cluster/worker/applyOnSchedule.ts';
import { runWorker } from '../../../src/cluster/worker/runWorker.ts';
import { openDuckDb } from '../../../src/load/openDuckDb.ts';
import { emptyWarehouse } from '../../load/temporaryWarehouse.ts';
import { createChain, fetchOf, heightsStream } from '../../run/read/heightsStream.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';

/** A cluster that reads a made-up chain of thirty heights into a DuckDB, until the test ends. */
export async function heightsCluster() {
  const [folder, stageFolder] = [await temporary(), await temporary()];
  const control = await openControl(await freshDatabase());
  const [ledger, stage] = [await openLedger(control), await openStage({ uri: stageFolder })];
  const file = join(folder, 'lake.duckdb');
  const engine = createDuckDbEngine(await openDuckDb({ folders: [folder, stageFolder], file }), stage.root);
  onTestFinished(async () => {
    await engine.close();
    await control.close();
  });
  const lake = { engine, tables: lakeTables([heightsStream]) };
  const signal = new AbortController().signal;
  const chain = createChain(29);
  const run = async (more: Partial<Parameters<typeof runWorker>[0]> = {}) => {
    await control.query('UPDATE firn.part SET due_at = now()');
    await runWorker({
      ledger,
      stage,
      lake,
      applyRest: () => applyNow({ lake, ledger, signal }),
      planned: [{ pipeline: 'p', stream: heightsStream, parameters: {} }],
      network: { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] },
      fetch: { node: fetchOf(chain) },
      scratch: await emptyWarehouse(),
      owner: 'one',
      signal,
      untilIdle: true,
      atOnce: 1,
      stretches: 3,
      timing: { look: 3_600_000, idle: 50 },
      ...more,
    });
  };
  const heights = async () =>
    (await engine.query<{ height: bigint }>(`SELECT height FROM ${heightsStream.table.name} ORDER BY height`)).map(
      (row) => Number(row.height),
    );
  const entries = () => control.query('SELECT times_seen, replayed_at IS NOT NULL AS is_read FROM firn.quarantine');
  return { run, chain, heights, entries, control, ledger, stage };
}
