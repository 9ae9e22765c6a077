import { isAlive } from '../load/processFacts.ts';
import { type RunRecord, readRunRecords } from '../load/runRecords.ts';
import { readUnresolved } from '../load/unresolved.ts';
import type { StatusContext } from '../report/readStatus.ts';
import { type RunState, readRunState } from '../run/records/runState.ts';
import type { Settings } from '../run/settings.ts';
import { packageVersion } from './packageVersion.ts';

/**
 * What status and report tell that the reader database does not know: the clock, the run under way, the quotas allowed.
 *
 * @param unresolved where that is kept; beside the state of this machine where it is left out
 */
export async function reportContext(
  settings: Settings,
  unresolved: () => Promise<StatusContext['unresolved']> = () => readUnresolved(settings.warehouse),
): Promise<StatusContext> {
  const running = await readRunState(settings.warehouse);
  const records = await readRunRecords(settings.warehouse);
  return {
    now: Date.now(),
    firnVersion: packageVersion(),
    running,
    runs: await Promise.all(records.map(async (record) => ({ ...record, isGoing: await isGoing(record, running) }))),
    unresolved: await unresolved(),
    pipelines: Object.keys(settings.pipelines),
    dailyQuota: Object.fromEntries(
      Object.entries(settings.sources).flatMap(([name, source]) =>
        source?.quota?.perDay === undefined ? [] : [[name, source.quota.perDay]],
      ),
    ),
  };
}

/** Whether a run goes on or waits for its turn. */
async function isGoing(record: RunRecord, running: RunState | null): Promise<boolean> {
  if (record.finishedAt !== null) return false;
  return record.runId === running?.runId || (await isAlive(record)) === true;
}
