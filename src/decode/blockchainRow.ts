import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import type { PTx } from './pTransactions.ts';
import type { BlockPlace } from './utxoRowBuilder.ts';

/** A new blockchain. */
export interface BlockchainRow {
  readonly position: number;
  /** cb58; the transaction's id. */
  readonly blockchain_id: string;
  readonly block_height: number | null;
  readonly block_timestamp: number | null;
  /** cb58. */
  readonly subnet_id: string;
  readonly chain_name: string;
  /** cb58. */
  readonly vm_id: string;
  /** cb58. */
  readonly fx_ids: readonly string[];
  readonly genesis_data: Uint8Array;
}

/** The blockchain that a transaction creates, or null if it creates none. */
export function blockchainRow(tx: PTx, place: BlockPlace): Omit<BlockchainRow, 'position'> | null {
  const unsigned = tx.unsignedTx;
  if (unsigned.type !== 'CreateChainTx') return null;
  return {
    blockchain_id: encodeCb58(tx.id),
    block_height: place.height,
    block_timestamp: place.timestamp,
    subnet_id: cachedCb58(unsigned.subnetID),
    chain_name: unsigned.chainName.toString('utf8'),
    vm_id: cachedCb58(unsigned.vmID),
    fx_ids: unsigned.fxIDs.map(cachedCb58),
    genesis_data: unsigned.genesisData,
  };
}
