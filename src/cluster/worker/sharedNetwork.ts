import type { NetworkFacts } from '../../core/stream/network.ts';
import { differ } from '../../core/text/differ.ts';
import { mismatch, pin, readPinned } from '../../load/bookkeeping/pinnedNetwork.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { namedNetwork, type Settings } from '../../run/settings.ts';
import { type ResolvedNetwork, resolveNetwork } from '../../run/sources/resolveNetwork.ts';
import type { Control, Sql } from '../ledger/control.ts';

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
  const named = namedNetwork(options.settings);
  const before = await readPinned(control, named);
  if (before) await pin(scratch, before, before.chains);
  const resolved = await resolveNetwork({ ...options, warehouse: scratch });
  await control.transaction((sql) => share(sql, resolved.network, named));
  return resolved;
}

/** Notes what is known of a network, also what was not when others began; nothing of one that is another. */
async function share(sql: Sql, { networkId, network, hrp, chains }: NetworkFacts, named: string | undefined) {
  await sql.query(
    `INSERT INTO firn.network AS held (network_id, network, hrp) VALUES ($1, $2, $3) ON CONFLICT (is_one) DO UPDATE
     SET network_id = excluded.network_id, network = excluded.network, hrp = excluded.hrp
     WHERE held.network_id IS NULL AND (excluded.network_id IS NOT NULL OR held.network = 'unknown')`,
    [networkId, network, hrp],
  );
  for (const { chainId, name, blockchainId, alias, vm, genesisHash } of chains)
    await sql.query(
      `INSERT INTO firn.chain AS held (chain_id, name, blockchain_id, alias, vm, genesis_hash) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (chain_id) DO UPDATE SET blockchain_id = coalesce(held.blockchain_id, excluded.blockchain_id),
         genesis_hash = coalesce(held.genesis_hash, excluded.genesis_hash) WHERE held.blockchain_id IS NULL OR held.genesis_hash IS NULL`,
      [chainId, name, blockchainId, alias, vm, genesisHash],
    );
  // Another worker may have been first, with a source of another network.
  const after = await readPinned(sql, named);
  if (after && after.networkId !== networkId && networkId !== null)
    throw mismatch(`The control database holds network ${after.networkId}, the source answers for ${networkId}.`);
  for (const { chainId, name, genesisHash } of chains) {
    const held = after?.chains.find((chain) => chain.chainId === chainId);
    if (held && differ(held.genesisHash, genesisHash))
      throw mismatch(
        `The control database holds ${name} with genesis ${held.genesisHash}, the source has ${genesisHash}.`,
      );
  }
}
