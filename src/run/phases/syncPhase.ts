import { exitCode } from '../../core/exitCode.ts';
import { FirnError } from '../../core/firnError.ts';
import { realOutside } from '../../extract/outside.ts';
import { keepLabels } from '../../load/keepLabels.ts';
import { planStreams } from '../planStreams.ts';
import { createReadLimits } from '../read/readLimits.ts';
import { type PartitionResult, syncStreams } from '../read/syncStreams.ts';
import { adoptPartitions } from '../upkeep/adoptPartitions.ts';
import { remarksOn } from '../upkeep/remarksOn.ts';
import type { Session } from './session.ts';

/** Opens the sources, reads, and closes them, within the limits that the user set. */
export async function syncPhase({ options, project, run, planned, listener, outcome, count }: Session): Promise<void> {
  const { settings, catalogue, log, read = syncStreams, outside: { clock } = realOutside } = options;
  const { warehouse } = project;
  await keepLabels(warehouse, settings.labels ?? []);
  const limits = createReadLimits(options.limits ?? {}, options.signal, clock);
  const { signal } = limits;
  const sources = await project.openSources(signal);
  try {
    const fetch = limits.limited(sources.fetch);
    const { network, problems } = await project.askNetwork(planned, fetch);
    const configured = planStreams(settings, catalogue);
    await adoptPartitions(warehouse, configured, network);
    for (const remark of await remarksOn(warehouse, configured, network, clock.now())) log.warn({}, remark);
    outcome.partitions = await read({
      warehouse,
      planned,
      network,
      problems,
      notReady: sources.notReady,
      fetch,
      clock,
      runId: run.runId,
      signal,
      log,
      listener,
    });
  } catch (error) {
    // A limit may be met before the first partition: then there is nothing to tell of any.
    if (!(limits.reached() && error instanceof FirnError && error.code === 'interrupted')) throw error;
  } finally {
    limits.close();
    await sources.close(warehouse);
  }
  outcome.requests = sources.stats();
  outcome.stoppedBy = limits.reached();
  outcome.partitions.forEach((result) => {
    count(partitionExit(result));
  });
}

function partitionExit({ code, outcome }: PartitionResult): number {
  return code && outcome === 'failed' ? exitCode(new FirnError(code, '')) : 0;
}
