import { join } from 'node:path';
import { messageOf } from '../../core/firnError.ts';
import { timeOf } from '../../core/stream/stream.ts';
import { readDropped } from '../../load/bookkeeping/droppedReads.ts';
import { type FoundRecord, readRunRecords } from '../../load/bookkeeping/runRecords.ts';
import { readUnresolved } from '../../load/bookkeeping/unresolved.ts';
import { diskError } from '../../load/diskError.ts';
import { packageVersion } from '../../load/packageFiles.ts';
import { fullDisk } from '../../load/state/fullDisk.ts';
import { linkInside } from '../../load/state/refuseLinks.ts';
import { lostState } from '../../publish/restored/lostState.ts';
import { restoredState } from '../../publish/restored/restoredState.ts';
import type { StatusContext } from '../../report/read/statusContext.ts';
import { isThere, type RunState, readRunState } from '../../run/records/runState.ts';
import type { Configured } from '../config/configured.ts';

/**
 * What status and report tell that the reader database does not know: the clock, the run under way, the quotas allowed.
 *
 * @param cluster what is kept elsewhere; beside the state of this machine where it is left out
 */
export async function reportContext(
  { settings, registry }: Configured,
  cluster?: {
    unresolved(): Promise<StatusContext['unresolved']>;
    outcomes(): Promise<NonNullable<StatusContext['workers']>>;
  },
): Promise<StatusContext> {
  const { warehouse } = settings;
  const running = await readRunState(warehouse);
  let unreadable = cluster
    ? null
    : ((await lostState(warehouse)) ?? (await fullDisk(warehouse)) ?? (await linkInside(warehouse)));
  const records = await readRunRecords(warehouse).catch((error: unknown) => {
    const why = messageOf(diskError(error, `read ${join(warehouse, '.state')}`));
    unreadable = `What became of runs since the last publish is not known. ${why}`;
    return [];
  });
  if (!cluster && !running) unreadable ??= await restoredState(warehouse, records, Date.now());
  return {
    firnVersion: packageVersion(),
    running,
    runs: await Promise.all(records.map(async (record) => ({ ...record, isGoing: await isGoing(record, running) }))),
    unreadable,
    dropped: await readDropped(warehouse),
    unresolved: cluster ? await cluster.unresolved() : await readUnresolved(warehouse),
    ...(cluster && { workers: await cluster.outcomes() }),
    // After what workers told: of what came meanwhile a clock would be said to be wrong.
    now: Date.now(),
    pipelines: Object.keys(settings.pipelines),
    dailyQuota: Object.fromEntries(
      Object.entries(settings.sources).flatMap(([name, source]) =>
        source?.quota?.perDay === undefined ? [] : [[name, source.quota.perDay]],
      ),
    ),
    // The times in a snapshot's rows may lie anywhere: they say nothing of how far the stream was read.
    times: new Map(
      registry.catalogue.flatMap((stream) => {
        const time = stream.way === 'snapshot' ? undefined : timeOf(stream);
        return time === undefined ? [] : [[stream.id, time]];
      }),
    ),
  };
}

/** Whether a run goes on or waits for its turn. */
async function isGoing(record: FoundRecord, running: RunState | null): Promise<boolean> {
  if (record.finishedAt !== null) return false;
  return record.runId === running?.runId || isThere(record, record.heardAt);
}
