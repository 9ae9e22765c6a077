import { unresolvedOf } from '../../cluster/lake/unresolvedOf.ts';
import { withCluster } from '../../cluster/withCluster.ts';
import { type OpenWorkerOptions, openWorker } from '../../cluster/worker/openWorker.ts';
import { exitCode } from '../../core/exitCode.ts';
import { interruption } from '../../extract/interruption.ts';
import type { Configured } from '../config/configured.ts';
import { workerDocument } from '../json/clusterDocuments.ts';
import type { CliContext } from '../registerCommand.ts';
import { outliveOutput } from '../terminal/outputErrors.ts';
import { WorkerTeller } from './workerTeller.ts';

type Options = Pick<OpenWorkerOptions, 'selection' | 'untilIdle' | 'atOnce' | 'readsOnly' | 'backfill'>;

/** Reads as a worker of the configured cluster, and tells what came of it; returns the exit code. */
export async function runClusterWorker(
  { console, signal }: Pick<CliContext, 'console' | 'signal'>,
  { settings, registry }: Configured,
  options: Options,
): Promise<number> {
  if (!options.untilIdle) outliveOutput();
  const teller = new WorkerTeller(console);
  const isUnresolved = await withCluster(settings, signal, async (cluster, engine) => {
    await openWorker({
      ...options,
      settings,
      catalogue: registry.catalogue,
      cluster,
      signal,
      log: console.log,
      engine,
      applied: (inserted) => teller.applied(inserted),
      finished: (part, result) => teller.finished(part, result),
    });
    // What was accepted comes again with every list.
    return teller.sums.quarantined > 0 && (await unresolvedOf(cluster.control, [])).records > 0;
  });
  console.data(workerDocument, teller.sums);
  if (!signal.aborted) return teller.exitCode(isUnresolved);
  // Its document is printed: an error would be a second one.
  const stopped = interruption(signal);
  console.note(stopped.message);
  return exitCode(stopped);
}
