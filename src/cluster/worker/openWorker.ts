import { rm } from 'node:fs/promises';
import { hasCode } from '../../core/firnError.ts';
import { type Stream, tablesOf } from '../../core/stream/stream.ts';
import { realOutside } from '../../extract/http/outside.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { openWarehouse } from '../../load/state/warehouse.ts';
import { sourcesOf } from '../../run/openProject.ts';
import { evmNames, planStreams, type Selection, snapshotsOfLists } from '../../run/planStreams.ts';
import type { Settings } from '../../run/settings.ts';
import { openSources } from '../../run/sources/openSources.ts';
import type { Engine } from '../contract.ts';
import { lakeTables } from '../engine/lakeTables.ts';
import { claimCatalog } from '../lake/openLake.ts';
import { controlClock } from '../ledger/controlClock.ts';
import { refuseOtherKeys } from '../ledger/refuseOtherKeys.ts';
import { renamePartitions } from '../ledger/renamePartitions.ts';
import { thisProcess } from '../ledger/thisProcess.ts';
import type { Cluster } from '../openCluster.ts';
import { sharedLimiter } from '../quota/sharedLimiter.ts';
import { scratchFolder } from '../scratchFolder.ts';
import { sweepStage } from '../stage/sweepStage.ts';
import { applyNow, applyOnSchedule } from './applyOnSchedule.ts';
import { claimedEngine } from './claimedEngine.ts';
import { runWorker } from './runWorker.ts';
import { sharedNetwork } from './sharedNetwork.ts';
import type { WorkerOptions } from './workerOptions.ts';

/** How often one of the workers lists the whole stage for files that nobody needs. */
const sweepEveryMs = 3_600_000;

/** What the command line says of a worker. */
export interface OpenWorkerOptions
  extends Pick<
    WorkerOptions,
    'signal' | 'log' | 'finished' | 'untilIdle' | 'atOnce' | 'timing' | 'stretches' | 'backfill'
  > {
  readonly settings: Settings;
  readonly catalogue: readonly Stream[];
  readonly selection: Selection;
  readonly cluster: Cluster;
  /** Applies staged batches, and answers what lookups need to know. */
  readonly engine: Engine;
  /** Whether this process only reads. */
  readonly readsOnly?: boolean | undefined;
  /** Called with the number of applied rows by table. */
  readonly applied?: ((inserted: ReadonlyMap<string, number>) => void) | undefined;
}

/** Reads as a worker of the cluster, and applies what all workers staged, until the signal is raised. Nothing of it stays on this machine. */
export async function openWorker(options: OpenWorkerOptions): Promise<void> {
  const { settings, catalogue, selection, cluster, signal, log } = options;
  const { control, ledger, stage } = cluster;
  const planned = planStreams(settings, catalogue, selection);
  const streams = planned.map(({ stream }) => stream);
  const engine = claimedEngine(options.engine, control, () => claimCatalog(options.engine, cluster, settings));
  // Before anything is read: a control database that was restored gives numbers again that the lake has. Where the engine does not answer, before anything is applied.
  const [wasRead] = await control.query('SELECT 1 FROM firn.load LIMIT 1');
  if (wasRead) await engine.assertClaimed().catch(whileDown);
  const lake = { engine, tables: lakeTables(catalogue) };
  await refuseOtherKeys(control, tablesOf(catalogue));
  const clock = await controlClock(control);
  const scratch = await scratchFolder(settings.warehouse, 'worker');
  const sources = await openSources({
    settings,
    sources: sourcesOf(streams),
    signal,
    log,
    limiter: (how, key) => sharedLimiter(control, how, key),
    outside: { ...realOutside, clock },
  });
  try {
    const resolve = async () => {
      const first = await openWarehouse({ folder: scratch, tables: tablesOf(streams) });
      return sharedNetwork(control, first, {
        settings,
        sources: sourcesOf(streams),
        evmNames: evmNames(planned),
        fetch: sources.fetch,
      }).finally(() => first.close());
    };
    const network = await resolve();
    if (signal.aborted) return;
    for (const { stream, partitions } of snapshotsOfLists(planStreams(settings, catalogue), network.network))
      await renamePartitions(control, stream, partitions);
    const told = new Set<string>();
    const warn = (sentence: string) => {
      if (!told.has(sentence)) log?.warn({}, sentence);
      told.add(sentence);
    };
    const work = (over: AbortSignal) => {
      const applying = { lake, ledger, signal: over, log, warn, applied: options.applied };
      const reading = runWorker({
        ...options,
        ...network,
        resolve,
        ledger,
        stage,
        lake,
        ...(!options.readsOnly && { applyRest: () => applyNow(applying) }),
        planned,
        fetch: sources.fetch,
        clock,
        notReady: sources.notReady,
        scratch,
        owner: thisProcess(),
        signal: over,
      });
      return [reading, ...(options.readsOnly ? [] : [applyOnSchedule(applying)])];
    };
    await whileSweeping(options, () => untilOneEnds(signal, work));
  } finally {
    await sources.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Looks for files that nobody needs before some work, and again as long as it takes. */
async function whileSweeping({ cluster, log }: OpenWorkerOptions, work: () => Promise<void>): Promise<void> {
  const { control, ledger, stage } = cluster;
  const sweep = () =>
    ledger.alone('sweep', () => sweepStage(control, stage)).catch((error: Error) => log?.warn({}, error.message));
  await sweep();
  const sweeping = setInterval(() => void sweep(), sweepEveryMs);
  await work().finally(() => clearInterval(sweeping));
}

/** Begins work that goes on side by side, and waits for all of it. The end of one part ends the others. */
async function untilOneEnds(signal: AbortSignal, begin: (over: AbortSignal) => Promise<void>[]): Promise<void> {
  const over = linkedAbort(signal);
  const parts = begin(over.signal).map((one) => one.finally(() => over.abort()));
  try {
    await Promise.all(parts);
  } finally {
    await Promise.allSettled(parts);
    over.unlink();
  }
}

function whileDown(error: unknown): void {
  if (!hasCode(error, 'unavailable')) throw error;
}
