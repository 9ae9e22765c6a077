import { catalogue, sources as declared } from '../../pipelines/index.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { planStreams } from '../../src/run/planStreams.ts';
import type { PartitionResult } from '../../src/run/read/syncOptions.ts';
import { syncStreams } from '../../src/run/read/syncStreams.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { openSources } from '../../src/run/sources/openSources.ts';
import { type Answer, localServer } from '../extract/localServer.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';

const network: NetworkFacts = {
  networkId: 12345,
  network: 'fuji',
  hrp: 'local',
  chains: [{ chainId: '43112', name: 'C', blockchainId: 'C', alias: 'C', vm: 'evm', genesisHash: null }],
};

/** A warehouse, and a server that attacks it. */
export interface Attacked {
  readonly warehouse: Warehouse;
  readonly url: string;
  /** Reads streams once, as a run does. */
  sync(streams: Readonly<Record<string, object>>): Promise<readonly PartitionResult[]>;
  /** Requests that the server got. */
  requests(): readonly string[];
}

export async function attacked(answer: Answer): Promise<Attacked> {
  const server = await localServer(answer);
  const folder = await temporary();
  await placeState(folder);
  const warehouse = await temporaryWarehouse(tablesOf(catalogue), folder);
  const source = { url: server.url };
  return {
    warehouse,
    url: server.url,
    requests: () => server.received.map(({ url, body }) => `${url} ${body}`),
    async sync(streams) {
      const settings = settingsSchema(declared).parse({
        warehouse: folder,
        sources: { node: source, data: { ...source, network: 'fuji' }, metrics: source },
        pipelines: { main: { streams } },
      });
      const sources = await openSources({ settings, sources: declared, retry: { attempts: 2, baseMs: 1, holdMs: 1 } });
      try {
        return await syncStreams({
          warehouse,
          planned: planStreams(settings, catalogue),
          network,
          fetch: sources.fetch,
          runId: 'attack',
          signal: new AbortController().signal,
        });
      } finally {
        await sources.close();
      }
    },
  };
}
