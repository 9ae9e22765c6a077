import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { openWarehouse } from '../../src/load/warehouse.ts';
import { openSources } from '../../src/run/openSources.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { syncResources } from '../../src/run/syncResources.ts';
import { syncStreams } from '../../src/run/syncStreams.ts';
import { tablesOf } from '../../src/run/tablesOf.ts';

/** What one load took. */
export interface Load {
  readonly rows: number;
  readonly seconds: number;
  readonly requests: number;
}

const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };

/** Reads one stream from a server into a new warehouse: the whole path from the wire to the committed row. */
export async function loadStream(url: string, id: string, parameters: Record<string, unknown>): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-bench-'));
  const stream = catalogue.find((candidate) => candidate.id === id);
  if (!stream) throw new FirnError('usage', `There is no stream ${id}.`);
  const settings = settingsSchema.parse({
    warehouse: folder,
    sources: { node: { url }, data: { url }, metrics: { url } },
    pipelines: {},
  });
  const warehouse = await openWarehouse({ folder, tables: tablesOf([stream]), ...syncResources });
  const sources = await openSources({ settings });
  try {
    const begun = performance.now();
    const [result] = await syncStreams({
      warehouse,
      planned: [{ pipeline: 'bench', stream, parameters: stream.parameters.parse(parameters) }],
      network,
      fetch: sources.fetch,
      runId: 'bench',
      signal: new AbortController().signal,
    });
    if (result?.outcome !== 'done') throw new FirnError('failed', `The load of ${id} failed: ${result?.message}`);
    return { rows: result.rows, seconds: (performance.now() - begun) / 1000, requests: result.requests };
  } finally {
    await sources.close();
    warehouse.close();
    await rm(folder, { recursive: true, force: true });
  }
}
