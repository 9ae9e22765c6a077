import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Stream } from '../../core/stream.ts';
import { tablesOf } from '../../core/tablesOf.ts';
import { openWarehouse } from '../../load/warehouse.ts';
import { sourcesOf } from '../../run/openProject.ts';
import { evmNames, planStreams, type Selection } from '../../run/planStreams.ts';
import type { Settings } from '../../run/settings.ts';
import { openSources } from '../../run/sources/openSources.ts';
import type { Cluster } from '../openCluster.ts';
import { sharedLimiter } from '../quota/sharedLimiter.ts';
import { sweepStage } from '../stage/sweepStage.ts';
import { isReadByWorkers } from './readLease.ts';
import { runWorker, type WorkerOptions } from './runWorker.ts';
import { sharedNetwork } from './sharedNetwork.ts';

/** One of the workers lists the whole stage so often, for files that nobody needs. */
const sweepEveryMs = 3_600_000;

/** What the command line says of a worker. */
export interface OpenWorkerOptions
  extends Pick<WorkerOptions, 'signal' | 'log' | 'finished' | 'untilIdle' | 'atOnce' | 'timing' | 'stretches'> {
  readonly settings: Settings;
  readonly catalogue: readonly Stream[];
  readonly selection: Selection;
  readonly cluster: Cluster;
  /** Told which streams of the configuration workers do not read. */
  readonly leftOut?: ((streams: readonly string[]) => void) | undefined;
}

/** Reads as a worker of the cluster until the signal is raised. What lies on this machine meanwhile is gone afterwards. */
export async function openWorker(options: OpenWorkerOptions): Promise<void> {
  const { settings, catalogue, selection, cluster, signal, log } = options;
  const { control, ledger, stage } = cluster;
  const all = planStreams(settings, catalogue, selection);
  const planned = all.filter(({ stream }) => isReadByWorkers(stream));
  const leftOut = all.flatMap(({ stream }) => (isReadByWorkers(stream) ? [] : stream.id));
  if (leftOut.length > 0) options.leftOut?.(leftOut);
  const owner = `${hostname()} ${process.pid}`;
  const scratch = join(settings.warehouse, '.state', 'worker', randomUUID());
  const sources = await openSources({
    settings,
    sources: sourcesOf(planned.map(({ stream }) => stream)),
    signal,
    log,
    limiter: (how, key) => sharedLimiter(control, how, key),
  });
  try {
    const first = await openWarehouse({ folder: scratch, tables: tablesOf(planned.map(({ stream }) => stream)) });
    const network = await sharedNetwork(control, first, {
      settings,
      sources: sourcesOf(planned.map(({ stream }) => stream)),
      evmNames: evmNames(planned),
      fetch: sources.fetch,
    }).finally(() => first.close());
    if (signal.aborted) return;
    const sweep = () =>
      ledger.alone('sweep', () => sweepStage(control, stage)).catch((error: Error) => log?.warn({}, error.message));
    await sweep();
    const sweeping = setInterval(() => void sweep(), sweepEveryMs);
    await runWorker({
      ...options,
      ...network,
      ledger,
      stage,
      planned,
      fetch: sources.fetch,
      notReady: sources.notReady,
      scratch,
      owner,
    }).finally(() => clearInterval(sweeping));
  } finally {
    await sources.close();
    await rm(scratch, { recursive: true, force: true });
  }
}
