import { cachedCb58 } from './cachedCb58.ts';
import type { AtomicTx } from './extraData.ts';
import { type BlockPlace, UtxoRowBuilder } from './utxoRowBuilder.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';

/** An import to or export from the C-Chain. */
export interface CAtomicTransactionRow {
  /** Place among the block's atomic transactions, from 0. */
  readonly position: number;
  /** cb58. */
  readonly tx_id: string;
  /** ImportTx or ExportTx. */
  readonly tx_type: string;
  readonly block_height: number | null;
  /** Unix seconds. */
  readonly block_timestamp: number | null;
  readonly network_id: number;
  /** cb58. */
  readonly blockchain_id: string;
  /** cb58; of an import. */
  readonly source_chain_id: string | null;
  /** cb58; of an export. */
  readonly destination_chain_id: string | null;
}

interface AtomicRows {
  readonly atomicTransactions: readonly CAtomicTransactionRow[];
  readonly inputs: readonly InputRow[];
  readonly outputs: readonly OutputRow[];
}

/** The rows of the atomic transactions of one C-Chain block. */
export function atomicTransactionRows(txs: readonly AtomicTx[], place: BlockPlace): AtomicRows {
  const rows = new UtxoRowBuilder(place);
  const atomicTransactions = txs.map((tx, position): CAtomicTransactionRow => {
    const unsigned = tx.unsignedTx;
    const txId = rows.begin(tx);
    if (unsigned.type === 'ImportTx') {
      rows.spend('imported', unsigned.sourceChain, unsigned.importedInputs);
      rows.credit(unsigned.blockchainID, unsigned.outputs);
    } else {
      rows.debit(unsigned.blockchainID, unsigned.inputs);
      rows.make('exported', unsigned.destinationChain, unsigned.exportedOutputs);
    }
    return {
      position,
      tx_id: txId,
      tx_type: unsigned.type,
      block_height: place.height,
      block_timestamp: place.timestamp,
      network_id: unsigned.networkID,
      blockchain_id: cachedCb58(unsigned.blockchainID),
      source_chain_id: unsigned.type === 'ImportTx' ? cachedCb58(unsigned.sourceChain) : null,
      destination_chain_id: unsigned.type === 'ExportTx' ? cachedCb58(unsigned.destinationChain) : null,
    };
  });
  return { atomicTransactions, inputs: rows.inputs, outputs: rows.outputs };
}
