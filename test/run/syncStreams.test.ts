import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { startDevnet } from '../../src/devnet/startDevnet.ts';
import { openWarehouse } from '../../src/load/warehouse.ts';
import { openSources } from '../../src/run/openSources.ts';
import { planStreams } from '../../src/run/planStreams.ts';
import { resolveNetwork } from '../../src/run/resolveNetwork.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { syncStreams } from '../../src/run/syncStreams.ts';
import { tablesOf } from '../../src/run/tablesOf.ts';

let devnet: Awaited<ReturnType<typeof startDevnet>>;
let folder: string;

beforeAll(async () => {
  devnet = await startDevnet({ port: 0, head: '70%' });
  folder = await mkdtemp(join(tmpdir(), 'firn-sync-'));
});
afterAll(async () => {
  await devnet.close();
  await rm(folder, { recursive: true, force: true });
});

async function sync(streams: Record<string, object>) {
  const settings = settingsSchema.parse({
    warehouse: folder,
    sources: { node: { url: devnet.url }, data: { url: devnet.url, network: 'fuji' }, metrics: { url: devnet.url } },
    pipelines: { main: { streams } },
  });
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  const planned = planStreams(settings, catalogue);
  const sources = await openSources({
    settings,
    numbers: { node: 'lossless', data: 'lossless', metrics: 'text' },
    warehouse,
  });
  const network = await resolveNetwork(warehouse, settings, planned, sources.fetch.node);
  const t0 = performance.now();
  const results = await syncStreams({
    warehouse,
    planned,
    network,
    fetch: sources.fetch,
    runId: 'r',
    signal: new AbortController().signal,
  });
  console.log(performance.now() - t0, results, sources.stats());
  const counts = await warehouse.query<{ n: bigint; t: string }>(
    "SELECT estimated_size AS n, table_name AS t FROM duckdb_tables() WHERE schema_name = 'raw' ORDER BY 2",
  );
  await sources.close();
  warehouse.close();
  return { results, counts };
}

test('reads the blocks up to the head, then only what is new', async () => {
  const streams = {
    'node/evm_blocks': { blockchainIds: ['C'] },
    'metrics/chain_metrics': { chainIds: ['43112'], from: '2025-01-01' },
  };
  const first = await sync(streams);
  console.log(first.counts);
  devnet.moveHead('100%');
  const second = await sync(streams);
  console.log(second.counts);
  expect(second.results.map(({ outcome }) => outcome)).toEqual(second.results.map(() => 'done'));
});
