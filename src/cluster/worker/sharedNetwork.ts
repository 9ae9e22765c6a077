import { mismatch, pin, readPinned } from '../../load/pinnedNetwork.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import { namedNetwork, type Settings } from '../../run/settings.ts';
import { type ResolvedNetwork, resolveNetwork } from '../../run/sources/resolveNetwork.ts';
import type { Control } from '../ledger/openControl.ts';

/**
 * What is known of the network, held against the source as on one machine, and pinned for all workers: the first one that asks says it.
 *
 * @param scratch a database of this machine
 * @throws FirnError `network_mismatch` when the source answers for another network than the others read
 */
export async function sharedNetwork(
  control: Control,
  scratch: Warehouse,
  options: Omit<Parameters<typeof resolveNetwork>[0], 'warehouse'> & { readonly settings: Settings },
): Promise<ResolvedNetwork> {
  const shared = { query: (sql: string) => control.query(sql) } as Pick<Warehouse, 'query'>;
  const before = await readPinned(shared, namedNetwork(options.settings));
  if (before) await pin(scratch, before, before.chains);
  const resolved = await resolveNetwork({ ...options, warehouse: scratch });
  const { networkId, network, hrp, chains } = resolved.network;
  await control.transaction(async (sql) => {
    await sql.query('INSERT INTO firn.network (network_id, network, hrp) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      networkId,
      network,
      hrp,
    ]);
    for (const { chainId, name, blockchainId, alias, vm, genesisHash } of chains) {
      await sql.query(
        'INSERT INTO firn.chain (chain_id, name, blockchain_id, alias, vm, genesis_hash) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING',
        [chainId, name, blockchainId, alias, vm, genesisHash],
      );
    }
  });
  // Another worker may have been first, with a source of another network.
  const after = await readPinned(shared, namedNetwork(options.settings));
  if (after && after.networkId !== networkId && networkId !== null)
    throw mismatch(`The control database holds network ${after.networkId}, the source answers for ${networkId}.`);
  for (const { chainId, name, genesisHash } of chains) {
    const held = after?.chains.find((chain) => chain.chainId === chainId);
    if (held?.genesisHash && genesisHash && held.genesisHash !== genesisHash)
      throw mismatch(
        `The control database holds ${name} with genesis ${held.genesisHash}, the source has ${genesisHash}.`,
      );
  }
  return resolved;
}
