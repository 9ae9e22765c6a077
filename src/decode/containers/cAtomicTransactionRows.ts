import { z } from 'zod';
import { int64, optional, text, unixSeconds } from '../../core/columns/columns.ts';
import { rowAppender } from '../../core/rows/rowWriter.ts';
import type { AtomicTx } from '../avalanche/extraData.ts';
import { cachedCb58 } from '../bytes/cb58.ts';
import type { BlockPlace } from '../utxos/utxoPlace.ts';
import { UtxoRowBuilder } from '../utxos/utxoRowBuilder.ts';
import type { ContainerRows } from './containerRows.ts';

/** An import to or export from the C-Chain. */
export const cAtomicTransaction = z.object({
  tx_id: text('Transaction id (cb58).'),
  tx_type: text('ImportTx or ExportTx.'),
  block_height: optional(int64('Height of the block.')),
  block_timestamp: optional(unixSeconds('Block time.')),
  network_id: int64('Network id inside the transaction.'),
  blockchain_id: text('Chain inside the transaction (cb58).'),
  source_chain_id: optional(text('Of an import: where from (cb58).')),
  destination_chain_id: optional(text('Of an export: where to (cb58).')),
});

const append = rowAppender(cAtomicTransaction);

/** Adds the rows of the atomic transactions of one C-Chain block. */
export function addAtomicTransactions(txs: readonly AtomicTx[], place: BlockPlace, into: ContainerRows): void {
  const rows = new UtxoRowBuilder(place, into.containers_c_inputs, into.containers_c_outputs);
  for (const tx of txs) {
    const unsigned = tx.unsignedTx;
    const txId = rows.begin(tx);
    if (unsigned.type === 'ImportTx') {
      rows.spend('imported', unsigned.sourceChain, unsigned.importedInputs);
      rows.credit(unsigned.blockchainID, unsigned.outputs);
    } else {
      rows.debit(unsigned.blockchainID, unsigned.inputs);
      rows.make('exported', unsigned.destinationChain, unsigned.exportedOutputs);
    }
    append(into.containers_c_atomic_transactions, {
      tx_id: txId,
      tx_type: unsigned.type,
      block_height: place.height,
      block_timestamp: place.timestamp,
      network_id: unsigned.networkID,
      blockchain_id: cachedCb58(unsigned.blockchainID),
      source_chain_id: unsigned.type === 'ImportTx' ? cachedCb58(unsigned.sourceChain) : null,
      destination_chain_id: unsigned.type === 'ExportTx' ? cachedCb58(unsigned.destinationChain) : null,
    });
  }
}
