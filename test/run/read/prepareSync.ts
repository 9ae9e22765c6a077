import { sources as declared, catalogue as everything } from '../../../pipelines/index.ts';
import type { RetryPolicy } from '../../../src/core/requests/retry.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { evmNames, planStreams } from '../../../src/run/planStreams.ts';
import type { SyncOptions } from '../../../src/run/read/syncOptions.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { openSources } from '../../../src/run/sources/openSources.ts';
import { resolveNetwork } from '../../../src/run/sources/resolveNetwork.ts';

interface Configured {
  readonly sources: Readonly<Record<string, object>>;
  readonly streams: Readonly<Record<string, object>>;
  /** Default: every stream of the package. */
  readonly catalogue?: readonly Stream[];
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** What `syncStreams` reads from a configuration, as a run puts it together, and the end of its sources. */
export async function prepareSync(
  warehouse: Warehouse,
  { sources: urls, streams, catalogue = everything, retry }: Configured,
): Promise<SyncOptions & { close(): Promise<void> }> {
  const settings = settingsSchema(declared).parse({ sources: urls, pipelines: { main: { streams } } });
  const planned = planStreams(settings, catalogue);
  const sources = await openSources({ settings, sources: declared, warehouse, retry });
  const { fetch, notReady } = sources;
  const close = () => sources.close();
  try {
    const asked = { warehouse, settings, sources: declared, evmNames: evmNames(planned), fetch };
    const signal = new AbortController().signal;
    return { warehouse, planned, ...(await resolveNetwork(asked)), fetch, notReady, runId: 'test', signal, close };
  } catch (error) {
    await close();
    throw error;
  }
}
