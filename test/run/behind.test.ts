import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { startDevnet } from '../../src/devnet/startDevnet.ts';
import { openSources } from '../../src/run/openSources.ts';
import { planStreams } from '../../src/run/planStreams.ts';
import { resolveNetwork } from '../../src/run/resolveNetwork.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { syncStreams } from '../../src/run/syncStreams.ts';
import { tablesOf } from '../../src/run/tablesOf.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';

test("a read that is stopped tells how far it is from the source's head; one that ends tells nothing", async () => {
  const devnet = await startDevnet({ port: 0, head: '100%' });
  onTestFinished(() => devnet.close());
  const settings = settingsSchema.parse({
    sources: { node: { url: devnet.url } },
    pipelines: { main: { streams: { 'node/evm_blocks': { blockchainIds: ['C'] } } } },
  });
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  const planned = planStreams(settings, catalogue);
  const sources = await openSources({ settings, numbers: { node: 'lossless', data: 'lossless', metrics: 'text' } });
  onTestFinished(() => sources.close());
  const network = await resolveNetwork(warehouse, settings, planned, sources.fetch.node);
  const held = async () => {
    const [row] = await warehouse.query<{ rows: bigint }>('SELECT count(*) AS "rows" FROM raw.node_evm_blocks');
    return Number(row?.rows);
  };
  const sync = async (stop: AbortController) => {
    const [result] = await syncStreams({
      warehouse,
      planned,
      network,
      fetch: sources.fetch,
      runId: 'r',
      signal: stop.signal,
      listener: { progress: () => stopAfterOne && stop.abort('SIGINT') },
    });
    return result;
  };
  let stopAfterOne = true;
  const stopped = await sync(new AbortController());
  const before = await held();
  stopAfterOne = false;
  const whole = await sync(new AbortController());
  expect([stopped?.outcome, whole?.outcome]).toEqual(['stopped', 'done']);
  expect(stopped?.behind).toBe((await held()) - before);
  expect(stopped?.behind).toBeGreaterThan(0);
  expect(whole).not.toHaveProperty('behind');
});
