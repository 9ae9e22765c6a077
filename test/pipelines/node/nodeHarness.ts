import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Devnet, type DevnetOptions, startDevnet } from 'firn-devnet';
import type { RetryPolicy } from '../../../src/core/requests/retry.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../../src/load/state/warehouse.ts';
import type { PartitionResult, SyncOptions } from '../../../src/run/read/syncOptions.ts';
import { syncStreams } from '../../../src/run/read/syncStreams.ts';
import { placeState } from '../../placeState.ts';
import { prepareSync } from '../../run/read/prepareSync.ts';

/** A warehouse in a folder of its own and an embedded network to read into it. */
export interface NodeHarness {
  readonly devnet: Devnet;
  readonly warehouse: Warehouse;
  /** Reads streams as one run does. */
  sync(
    streams: Readonly<Record<string, Record<string, unknown>>>,
    url?: string,
    readStream?: SyncOptions['readStream'],
  ): Promise<PartitionResult[]>;
  query<R extends object = Record<string, unknown>>(sql: string): Promise<R[]>;
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
  const tables = tablesOf(catalogue);
  await placeState(folder, tables);
  const warehouse = await openWarehouse({ folder, tables, memoryLimit: '512MB' });
  const query = <R extends object = Record<string, unknown>>(sql: string) => warehouse.query<R>(sql);
  let runs = 0;
  return {
    devnet,
    warehouse,
    async sync(streams, url = devnet.url, readStream) {
      const prepared = await prepareSync(warehouse, { sources: { node: { url } }, streams, catalogue, retry });
      try {
        return await syncStreams({ ...prepared, runId: `run-${++runs}`, ...(readStream && { readStream }) });
      } finally {
        await prepared.close();
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
