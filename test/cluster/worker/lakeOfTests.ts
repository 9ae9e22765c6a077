import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import type { Engine } from '../../../src/cluster/contract.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { type Cluster, openCluster } from '../../../src/cluster/openCluster.ts';
import { type OpenWorkerOptions, openWorker } from '../../../src/cluster/worker/openWorker.ts';
import { queryLake } from '../../../src/cluster/worker/queryLake.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { type Settings, settingsSchema } from '../../../src/run/settings.ts';
import { sourcesOf } from '../../cli/cliHarness.ts';
import { currentRowsSql, type Rows, type Streams } from '../../pipelines/standardHarness.ts';
import { temporary } from '../../temporaryFolders.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { freshDatabase } from '../postgres.ts';

const tables = lakeTables(catalogue);

/** A cluster of one machine whose engine is a DuckDB, until the test ends. */
export interface TestCluster {
  readonly settings: Settings;
  readonly cluster: Cluster;
  readonly engine: Engine;
  /** Reads and applies until nothing is due; with `again` what was looked at already is looked at once more. */
  work(again?: boolean, more?: Partial<OpenWorkerOptions>): Promise<void>;
  /** Rows as `currentRows` has them of one machine. */
  rows(): Promise<Rows>;
}

export async function testCluster(devnet: { readonly url: string }, streams: Streams): Promise<TestCluster> {
  const [folder, stage] = [await temporary(), await temporary()];
  const settings = settingsSchema(declared).parse({
    warehouse: join(folder, 'warehouse'),
    sources: sourcesOf(devnet),
    control: await freshDatabase(),
    stage,
    engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
    pipelines: { main: { streams } },
  });
  const cluster = await openCluster(settings);
  const engine = createDuckDbEngine(
    await openDuckDb({ folders: [folder, stage], file: join(folder, 'lake.duckdb') }),
    `${pathToFileURL(stage)}/`,
  );
  onTestFinished(async () => {
    await engine.close();
    await cluster.control.close();
  });
  return {
    settings,
    cluster,
    engine,
    async work(again = false, more = {}) {
      if (again) await cluster.control.query('UPDATE firn.part SET due_at = now()');
      const signal = new AbortController().signal;
      const selection = {};
      await openWorker({
        settings,
        catalogue,
        selection,
        cluster,
        engine,
        signal,
        untilIdle: true,
        atOnce: 2,
        timing: { idle: 50 },
        ...more,
      });
    },
    async rows() {
      const rows: Record<string, readonly string[]> = {};
      for (const table of tables) {
        await engine.ensureTable(table);
        const found = await queryLake<{ row: string }>({ engine, tables }, currentRowsSql(table));
        rows[table.name] = found.map(({ row }) => row);
      }
      return rows;
    },
  };
}
