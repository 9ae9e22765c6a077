import { FirnError } from '../../core/firnError.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import type { Unresolved } from '../../core/unresolved.ts';
import { readPinned } from '../../load/bookkeeping/pinnedNetwork.ts';
import type { PlannedStream } from '../../run/planStreams.ts';
import { namedNetwork, type Settings } from '../../run/settings.ts';
import type { Replayed } from '../../run/upkeep/replayQuarantine.ts';
import { unresolvedOf } from '../lake/unresolvedOf.ts';
import { thisProcess } from '../ledger/thisProcess.ts';
import { withScratch } from '../ledger/withScratch.ts';
import { openCluster } from '../openCluster.ts';
import { replayInCluster } from './replayInCluster.ts';

/**
 * Replays the quarantine of a configuration's cluster, as `replayInCluster` says.
 *
 * @throws FirnError `usage` where nothing was read yet · `locked`
 */
export async function replayLedger(
  settings: Settings,
  planned: readonly PlannedStream[],
  signal: AbortSignal,
): Promise<{ readonly results: Replayed[]; readonly unresolved: Unresolved }> {
  const cluster = await openCluster(settings);
  const { control } = cluster;
  try {
    const network = await readPinned(control, namedNetwork(settings));
    if (!network) throw new FirnError('usage', 'Nothing was read into this cluster yet. Run "firn worker" first.');
    const tables = tablesOf(planned.map(({ stream }) => stream));
    const results = await withScratch(settings, { tables, threads: 1 }, (scratch) =>
      replayInCluster({ cluster, planned, network, scratch, owner: thisProcess(), signal }),
    );
    return { results, unresolved: await unresolvedOf(control, []) };
  } finally {
    await control.close();
  }
}
