import { FirnError } from '../../core/firnError.ts';
import { type ChainFacts, isPublic, type NetworkFacts, networkText } from '../../core/stream/network.ts';
import type { Queries } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';

/**
 * The network that the first run pinned; null before it.
 *
 * @param named the network that the configuration asks for, where it names one
 * @throws FirnError `network_mismatch` when the configuration asks for another network than the warehouse holds
 */
export async function readPinned(warehouse: Queries, named: string | undefined): Promise<NetworkFacts | null> {
  const [network] = await warehouse.query<{ network_id: number | null; network: string; hrp: string }>(
    'SELECT network_id, network, hrp FROM firn.network',
  );
  if (!network) return null;
  if (named && network.network !== named && isPublic(network.network)) {
    const held = networkText(network.network, network.network_id);
    throw mismatch(`The warehouse holds ${held}, the configuration asks the data service for ${named}.`);
  }
  const { network_id: networkId, network: name, hrp } = network;
  return { networkId, network: name, hrp, chains: await readChains(warehouse) };
}

/** The chains that are pinned, in the order in which they were. */
export const readChains = (warehouse: Queries): Promise<readonly ChainFacts[]> =>
  warehouse.query<ChainFacts>(
    `SELECT chain_id AS "chainId", name, blockchain_id AS "blockchainId", alias, vm, genesis_hash AS "genesisHash"
     FROM firn.chain ORDER BY pinned_at, chain_id`,
  );

/** Makes new facts durable, in one transaction. @param network null where it is pinned already */
export async function pin(
  warehouse: Warehouse,
  network: NetworkFacts | null,
  chains: readonly ChainFacts[],
): Promise<void> {
  if (!network && chains.length === 0) return;
  await warehouse.transaction(async (tx) => {
    if (network) {
      await tx.run('DELETE FROM firn.network');
      await tx.run('INSERT INTO firn.network VALUES ($1, $2, $3, now()::TIMESTAMP)', [
        network.networkId,
        network.network,
        network.hrp,
      ]);
    }
    for (const chain of chains) {
      // One of which nothing is left makes room: what is known of its heights is of another chain.
      await tx.run('DELETE FROM firn.date_height WHERE chain = $1', [chain.chainId]);
      await tx.run('DELETE FROM firn.chain WHERE chain_id = $1', [chain.chainId]);
      await tx.run('INSERT INTO firn.chain VALUES ($1, $2, $3, $4, $5, $6, now()::TIMESTAMP)', [
        chain.chainId,
        chain.name,
        chain.blockchainId,
        chain.alias,
        chain.vm,
        chain.genesisHash,
      ]);
    }
  });
}

/** The error of a source that answers for something else than the warehouse holds. */
export const mismatch = (what: string) =>
  new FirnError(
    'network_mismatch',
    `${what} Nothing was read. Point the source back, or name another folder with --warehouse.`,
  );
