import { FirnError } from '../../core/firnError.ts';
import { hrpOf, type NetworkFacts } from '../../core/network.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import type { Settings } from '../settings.ts';
import { readPinned } from './resolveNetwork.ts';

/**
 * What is known of the network without asking anyone: what a sync pinned, else what the configuration names. Nothing is pinned.
 *
 * @throws FirnError `network_mismatch` when the configuration asks for another network than the warehouse holds
 */
export async function knownNetwork(warehouse: Warehouse, settings: Settings): Promise<NetworkFacts> {
  const pinned = await readPinned(warehouse);
  const named = settings.sources.data?.network.replace('testnet', 'fuji');
  if (!pinned) {
    const networkId = named === 'fuji' ? 5 : named === 'mainnet' ? 1 : null;
    return { networkId, network: named ?? 'unknown', hrp: hrpOf(networkId), chains: [] };
  }
  if (named && pinned.network !== named && ['mainnet', 'fuji'].includes(pinned.network)) {
    throw new FirnError(
      'network_mismatch',
      `The warehouse holds ${pinned.network}, the configuration asks the data service for ${named}. Nothing was asked. ` +
        'Set sources.data.network back, or name another folder with --warehouse.',
    );
  }
  return pinned;
}
