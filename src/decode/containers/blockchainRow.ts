import { z } from 'zod';
import { bytes, text, texts } from '../../core/columns/columns.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { rowAppender } from '../../core/rows/rowWriter.ts';
import type { PTx } from '../avalanche/pTransactions.ts';
import { cachedCb58 } from '../bytes/cb58.ts';
import { type BlockPlace, pPlace } from '../utxos/utxoPlace.ts';

/** A new blockchain. */
export const blockchain = z.object({
  blockchain_id: text("The blockchain's id (cb58); the transaction id."),
  block_height: pPlace.block_height,
  block_timestamp: pPlace.block_timestamp,
  subnet_id: text('Subnet that validates it (cb58).'),
  chain_name: text('Name.'),
  vm_id: text('Virtual machine (cb58).'),
  fx_ids: texts('Feature extensions (cb58).'),
  genesis_data: bytes('Genesis of the chain.'),
});

const append = rowAppender(blockchain);

/** Adds the blockchain that a transaction creates. */
export function addBlockchain(tx: PTx, txId: string, place: BlockPlace, rows: Rows): void {
  const unsigned = tx.unsignedTx;
  if (unsigned.type !== 'CreateChainTx') return;
  append(rows, {
    blockchain_id: txId,
    block_height: place.height,
    block_timestamp: place.timestamp,
    subnet_id: cachedCb58(unsigned.subnetID),
    chain_name: unsigned.chainName.toString('utf8'),
    vm_id: cachedCb58(unsigned.vmID),
    fx_ids: unsigned.fxIDs.map(cachedCb58),
    genesis_data: unsigned.genesisData,
  });
}
