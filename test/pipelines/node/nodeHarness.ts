import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Devnet, type DevnetOptions, startDevnet } from 'firn-devnet';
import { sources as declared } from '../../../pipelines/index.ts';
import type { RetryPolicy } from '../../../src/core/retry.ts';
import type { Stream } from '../../../src/core/stream.ts';
import { tablesOf } from '../../../src/core/tablesOf.ts';
import { openWarehouse, type Warehouse } from '../../../src/load/warehouse.ts';
import { evmNames, planStreams } from '../../../src/run/planStreams.ts';
import { type PartitionResult, syncStreams } from '../../../src/run/read/syncStreams.ts';
import { type Settings, settingsSchema } from '../../../src/run/settings.ts';
import { openSources } from '../../../src/run/sources/openSources.ts';
import { resolveNetwork } from '../../../src/run/sources/resolveNetwork.ts';
import { placeState } from '../../placeState.ts';

/** A warehouse in a folder of its own and an embedded network to read into it. */
export interface NodeHarness {
  readonly devnet: Devnet;
  readonly warehouse: Warehouse;
  /** Reads streams as one run does. */
  sync(streams: Readonly<Record<string, Record<string, unknown>>>, url?: string): Promise<PartitionResult[]>;
  query<R extends Record<string, unknown>>(sql: string): Promise<R[]>;
  /** The one value of a query. */
  value(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function startNodeHarness(
  catalogue: readonly Stream[],
  options: DevnetOptions = {},
  retry?: Partial<RetryPolicy>,
): Promise<NodeHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-node-'));
  const devnet = await startDevnet(options);
  await placeState(folder);
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue), memoryLimit: '512MB' });
  const query = <R extends Record<string, unknown>>(sql: string) => warehouse.query<R>(sql);
  let runs = 0;
  return {
    devnet,
    warehouse,
    async sync(streams, url = devnet.url) {
      const settings: Settings = settingsSchema(declared).parse({
        warehouse: folder,
        sources: { node: { url } },
        pipelines: { test: { streams } },
      });
      const planned = planStreams(settings, catalogue);
      const sources = await openSources({ settings, sources: declared, ...(retry && { retry }) });
      try {
        const resolved = await resolveNetwork({
          warehouse,
          settings,
          sources: declared,
          evmNames: evmNames(planned),
          fetch: sources.fetch,
        });
        return await syncStreams({
          warehouse,
          planned,
          ...resolved,
          fetch: sources.fetch,
          notReady: sources.notReady,
          runId: `run-${++runs}`,
          signal: new AbortController().signal,
        });
      } finally {
        await sources.close();
      }
    },
    query,
    async value(sql) {
      const [row] = await query(sql);
      return row && Object.values(row)[0];
    },
    async close() {
      warehouse.close();
      await devnet.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
