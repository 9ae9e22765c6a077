import { FirnError } from '../../core/firnError.ts';
import { meant } from '../../core/input/meant.ts';
import { type ChainFacts, isNamed } from '../../core/stream/network.ts';
import { decodeCb58 } from '../../decode/bytes/cb58.ts';
import { readChains } from '../../load/bookkeeping/pinnedNetwork.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';

/** The chains of the warehouse, or the one that is named. */
export async function evidenceChains(warehouse: Warehouse, wanted: string | undefined): Promise<readonly ChainFacts[]> {
  const chains = await readChains(warehouse);
  if (wanted === undefined) return chains;
  const named = chains.filter((chain) => isNamed(chain, wanted));
  if (named.length > 0) return named;
  const known = chains.map(({ alias }) => alias);
  throw new FirnError('usage', `The warehouse holds no chain "${wanted}". ${meant(wanted, known)}`);
}

/** First and last height that the warehouse holds of a chain, within what is asked for. */
export async function evidenceBounds(
  warehouse: Warehouse,
  chain: ChainFacts,
  { from, to }: { readonly from?: number; readonly to?: number },
) {
  const letter = chain.alias.toLowerCase();
  const sql =
    chain.vm === 'evm'
      ? `SELECT min("number") AS first, max("number") AS last FROM (
           SELECT "number" FROM raw.node_evm_blocks WHERE chain_id = $1
           UNION ALL SELECT "number" FROM raw.node_containers_c_blocks WHERE index_name = $2)`
      : `SELECT min(height) AS first, max(height) AS last FROM raw.node_containers_${letter}_blocks
         WHERE index_name = $2 AND $1 IS NOT NULL`;
  const [row] = await warehouse.query<{ first: bigint | null; last: bigint | null }>(sql, [
    chain.chainId,
    `${chain.alias}/block`,
  ]);
  if (row?.first == null || row.last == null) return undefined;
  const first = Math.max(Number(row.first), from ?? 0);
  const last = Math.min(Number(row.last), to ?? Number.POSITIVE_INFINITY);
  return first <= last ? { first, last } : undefined;
}

/** The 32 bytes of a chain's blockchain id; null for an L1 that was configured by its EVM chain id. */
export function blockchainIdOf({ blockchainId }: ChainFacts): Uint8Array | null {
  if (blockchainId === null) return null;
  try {
    return decodeCb58(blockchainId);
  } catch {
    return null;
  }
}
