import { exitOf } from '../../core/exitCode.ts';
import { FirnError, hasCode } from '../../core/firnError.ts';
import type { Clock } from '../../extract/clock.ts';
import { realOutside } from '../../extract/http/outside.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { adoptPartitions } from '../../load/adopt/adoptPartitions.ts';
import { keepLabels } from '../../load/bookkeeping/keepLabels.ts';
import { remarksOn } from '../../load/bookkeeping/remarksOn.ts';
import { noteReadOn } from '../../load/commit/checkpoints.ts';
import { type Project, sourcesOf } from '../openProject.ts';
import { allPartitions, configuredKeys, planStreams, snapshotsOfLists } from '../planStreams.ts';
import { failWhereNothingIs } from '../read/failWhereNothingIs.ts';
import type { PartitionResult, SyncOptions } from '../read/syncOptions.ts';
import { syncMemory, syncStreams } from '../read/syncStreams.ts';
import type { LimitName } from '../records/runReport.ts';
import type { Fetch, Fetches } from '../sources/drive.ts';
import type { Limits, PhaseOptions, Session } from './phaseOptions.ts';

/** Opens the sources, reads, and closes them, within the user's limits. */
export async function syncPhase(
  { options, run, planned, listener, outcome, count }: Session,
  project: Project,
): Promise<void> {
  const { settings, catalogue, log, read = syncStreams, outside: { clock, random } = realOutside } = options;
  const { warehouse } = project;
  await keepLabels(warehouse, settings.labels ?? []);
  const limits = createReadLimits(options.limits ?? {}, options.signal, clock);
  const { signal } = limits;
  const sources = await project.openSources(signal);
  try {
    const fetch = limits.limited(sources.fetch);
    const { network, problems } = await project.askNetwork(planned, fetch);
    const configured = planStreams(settings, catalogue);
    for (const { stream, partitions } of snapshotsOfLists(configured, network))
      await adoptPartitions(warehouse, stream, partitions);
    const remarks = await remarksOn(warehouse, configuredKeys(configured, network), project.declared, clock.now());
    for (const remark of remarks) log.warn({}, remark);
    warehouse.narrowTo(syncMemory(allPartitions(planned, network)?.length ?? 0));
    const results = await read({
      warehouse,
      planned,
      network,
      problems,
      notReady: sources.notReady,
      fetch,
      clock,
      random,
      ...boundsOf(options),
      runId: run.runId,
      signal,
      log,
      listener,
    });
    outcome.partitions = failWhereNothingIs(results, network, sourcesOf(project.declared));
    if (!options.read)
      await noteReadOn(
        warehouse,
        results.filter((result) => result.outcome === 'done'),
      );
  } catch (error) {
    // A limit may be met before the first partition: then there is nothing to tell of any.
    if (!(limits.reached() && hasCode(error, 'interrupted'))) throw error;
  } finally {
    limits.close();
    await sources.close(warehouse);
  }
  outcome.requests = sources.stats();
  outcome.stoppedBy = limits.reached();
  for (const result of outcome.partitions) count(partitionExit(result));
}

/** How partitions take turns in a run that may end before all is read. */
function boundsOf({
  limits: { maxMs, maxUnits } = {},
  settings,
}: PhaseOptions): Pick<SyncOptions, 'isLimited' | 'atOnce'> {
  const hasDaily = Object.values(settings.sources).some((source) => source?.quota?.perDay !== undefined);
  // One that gets but a request or two asks for its newest rows alone: of four, none might ever come on.
  if (maxUnits !== undefined) return { isLimited: true, atOnce: 1 };
  return { isLimited: maxMs !== undefined || hasDaily };
}

const partitionExit = ({ code, outcome }: PartitionResult): number => (code && outcome === 'failed' ? exitOf(code) : 0);

/** Ends a read cleanly when a limit is met: what was read is committed, and the next run goes on. */
interface ReadLimits {
  /** Raised by the run's own signal, and by a limit. */
  readonly signal: AbortSignal;
  /** The same ways to sources, with units counted. */
  limited(fetches: Fetches): Fetches;
  /** The limit that was met. */
  reached(): LimitName | null;
  /** Stops the clock. */
  close(): void;
}

/** @param outer the run's own signal */
function createReadLimits({ maxMs, maxUnits }: Limits, outer: AbortSignal, clock: Clock): ReadLimits {
  const linked = linkedAbort(outer);
  let reached: LimitName | null = null;
  let units = 0;
  let isSpent = false;
  let underWay = 0;
  const stop = (limit: LimitName) => {
    if (linked.signal.aborted) return;
    reached = limit;
    linked.abort(limit);
  };
  const inTime = maxMs === undefined ? undefined : clock.after(maxMs, () => stop('--max-time'));
  const counted =
    (fetch: Fetch): Fetch =>
    async (request, sent) => {
      const weight = 'weight' in request ? request.weight : 0;
      // One that no such run may send fails alone: it would keep all others from being read, in every run.
      if (maxUnits && weight > maxUnits)
        throw new FirnError(
          'usage',
          `It takes ${weight} compute units at once, and --max-units allows ${maxUnits} in all: allow more, or leave it out of this run with --select.`,
        );
      // A request beyond the limit is not sent, and neither is a lighter one of another stream after it.
      isSpent ||= maxUnits !== undefined && units + weight > maxUnits;
      try {
        if (isSpent)
          throw new FirnError(
            'interrupted',
            `The ${maxUnits} compute units of --max-units are spent; the next run goes on.`,
          );
        units += weight;
        underWay++;
        let ofAgain = 0;
        const told = () => {
          // Sent again, it costs again.
          units += ofAgain;
          ofAgain = weight;
          sent?.();
        };
        return await fetch(request, told).finally(() => underWay--);
      } finally {
        // Answers that were paid for are waited for.
        if (isSpent && underWay === 0) stop('--max-units');
      }
    };
  return {
    signal: linked.signal,
    limited: (fetches) => Object.fromEntries(Object.entries(fetches).map(([name, fetch]) => [name, counted(fetch)])),
    reached: () => reached,
    close() {
      inTime?.();
      linked.unlink();
    },
  };
}
