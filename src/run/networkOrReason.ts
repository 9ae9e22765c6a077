import { exitCode } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import type { NetworkFacts } from '../core/network.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Fetch } from './fetch.ts';
import { knownNetwork } from './knownNetwork.ts';
import type { PlannedStream } from './planStreams.ts';
import { resolveNetwork } from './resolveNetwork.ts';
import type { Settings } from './settings.ts';

/** What is known of the network, and why the node could not be asked, where it could not. */
export interface NetworkOrReason {
  readonly network: NetworkFacts;
  readonly unreachable: { readonly node?: FirnError };
}

/**
 * Resolves the network as `resolveNetwork` does. A node that is down or refuses keeps its own streams from being read, not those of
 * the other sources: they go on with what an earlier run pinned, or the configuration names.
 *
 * @throws FirnError `network_mismatch`, `config`, `disk`, `interrupted`
 */
export async function networkOrReason(
  warehouse: Warehouse,
  settings: Settings,
  planned: readonly PlannedStream[],
  node: Fetch | undefined,
): Promise<NetworkOrReason> {
  try {
    return { network: await resolveNetwork(warehouse, settings, planned, node), unreachable: {} };
  } catch (error) {
    const ofNode = error instanceof FirnError && !['disk', 'interrupted'].includes(error.code) && exitCode(error) !== 2;
    if (!ofNode) throw error;
    return { network: await knownNetwork(warehouse, settings), unreachable: { node: error } };
  }
}
