import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { tablesOf } from '../../core/stream.ts';
import type { Unresolved } from '../../core/unresolved.ts';
import { readPinned } from '../../load/pinnedNetwork.ts';
import { openWarehouse, type Warehouse } from '../../load/warehouse.ts';
import type { PlannedStream } from '../../run/planStreams.ts';
import { namedNetwork, type Settings } from '../../run/settings.ts';
import type { Replayed } from '../../run/upkeep/replayQuarantine.ts';
import { unresolvedOf } from '../lake/unresolvedOf.ts';
import { openCluster } from '../openCluster.ts';
import { replayInCluster } from './replayInCluster.ts';

/**
 * Replays the quarantine of a configuration's cluster, as `replayInCluster` says.
 *
 * @throws FirnError `usage` where nothing was read yet · `locked`
 */
export async function replayLedger({
  settings,
  planned,
  signal,
}: {
  readonly settings: Settings;
  readonly planned: readonly PlannedStream[];
  readonly signal: AbortSignal;
}): Promise<{ readonly results: Replayed[]; readonly unresolved: Unresolved }> {
  const cluster = await openCluster(settings);
  const { control } = cluster;
  const folder = join(settings.warehouse, '.state', 'ledger', randomUUID());
  try {
    const shared = { query: (sql: string) => control.query(sql) } as Pick<Warehouse, 'query'>;
    const network = await readPinned(shared, namedNetwork(settings));
    if (!network) throw new FirnError('usage', 'Nothing was read into this cluster yet. Run "firn worker" first.');
    const scratch = await openWarehouse({ folder, tables: tablesOf(planned.map(({ stream }) => stream)), threads: 1 });
    const owner = `${hostname()} ${process.pid}`;
    const results = await replayInCluster({ cluster, planned, network, scratch, owner, signal }).finally(() =>
      scratch.close(),
    );
    return { results, unresolved: await unresolvedOf(control, []) };
  } finally {
    await control.close();
    await rm(folder, { recursive: true, force: true });
  }
}
