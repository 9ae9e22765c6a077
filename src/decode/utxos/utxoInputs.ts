import { z } from 'zod';
import { amount, int64, json, optional, text, texts, uint64 } from '../../core/columns/columns.ts';
import { rowWriter } from '../../core/rows/rowWriter.ts';
import { utxoId } from '../avalanche/signedTx.ts';
import { cachedCb58, encodeCb58 } from '../bytes/cb58.ts';
import { type UtxoTransaction, utxoPlace } from './utxoPlace.ts';

/** An input of a P-, X- or C-Chain atomic transaction: a UTXO that it spends, or an EVM account that it debits. */
export const input = z.object({
  tx_id: text('Transaction that spends (cb58).'),
  input_index: int64('Place in the transaction over all its lists of inputs, from 0.'),
  ...utxoPlace,
  source: text('input, imported (from another chain), operation (X-Chain), evm (C-Chain account).'),
  input_type: text("Type on the wire, such as TransferInput; of an operation the operation's."),
  utxo_id: optional(text('UTXO that is spent (cb58); NULL for an EVM account.')),
  output_tx_id: optional(text('Transaction that made the UTXO (cb58).')),
  output_index: optional(int64('Index of the UTXO in that transaction.')),
  source_chain_id: text('Chain that held what is spent (cb58).'),
  asset_id: text('Asset (cb58).'),
  amount: optional(amount('Amount; NULL in operations, which do not repeat it.', 'smallest unit of the asset')),
  stakeable_locktime: optional(uint64('Unix seconds until when the UTXO might only be staked.')),
  signature_indices: optional(json("Places of the signers among the UTXO's addresses, as a JSON list.")),
  signatures: texts("Signatures of the input's credential."),
  evm_address: optional(text('EVM account that is debited.')),
  evm_nonce: optional(uint64('Nonce of that account at the export.')),
});

export interface Spent {
  readonly tx: UtxoTransaction;
  readonly index: number;
  readonly source: 'input' | 'imported' | 'operation' | 'evm';
  readonly type: string;
  readonly chain: Uint8Array;
  readonly assetID: Uint8Array;
  /** Null for an EVM account. */
  readonly txID: Uint8Array | null;
  readonly outputIndex: number | null;
  readonly amount: bigint | null;
  readonly stakeableLocktime: bigint | null;
  readonly signatureIndices: readonly number[] | null;
  readonly signatures: readonly Uint8Array[];
  readonly account: { readonly address: Uint8Array; readonly nonce?: bigint } | null;
}

/** Adds the row of an input. */
export const addInput = rowWriter<typeof input, Spent>({
  tx_id: (cell, { tx }) => cell.text(tx.idText),
  input_index: (cell, { index }) => cell.integer(index),
  block_height: (cell, { tx }) => cell.integer(tx.place.height),
  block_timestamp: (cell, { tx }) => cell.seconds(tx.place.timestamp),
  source: (cell, { source }) => cell.text(source),
  input_type: (cell, { type }) => cell.text(type),
  utxo_id: (cell, { txID, outputIndex }) =>
    cell.text(txID && outputIndex !== null ? encodeCb58(utxoId(txID, outputIndex)) : null),
  output_tx_id: (cell, { txID }) => cell.text(txID && encodeCb58(txID)),
  output_index: (cell, { outputIndex }) => cell.integer(outputIndex),
  source_chain_id: (cell, { chain }) => cell.text(cachedCb58(chain)),
  asset_id: (cell, { assetID }) => cell.text(cachedCb58(assetID)),
  amount: (cell, spent) => cell.integer(spent.amount),
  stakeable_locktime: (cell, { stakeableLocktime }) => cell.integer(stakeableLocktime),
  signature_indices: (cell, { signatureIndices }) => cell.text(signatureIndices && JSON.stringify(signatureIndices)),
  signatures: (cell, { signatures }) => cell.hexes(signatures),
  evm_address: (cell, { account }) => cell.hex(account?.address ?? null),
  evm_nonce: (cell, { account }) => cell.integer(account?.nonce ?? null),
});
