import { z } from 'zod';
import { amount, int64, optional, text, texts, uint64 } from '../../core/columns/columns.ts';
import { rowWriter } from '../../core/rows/rowWriter.ts';
import { utxoId } from '../avalanche/signedTx.ts';
import type { XOutput } from '../avalanche/xTransactions.ts';
import { addressesOf } from '../bytes/address.ts';
import { cachedCb58, encodeCb58 } from '../bytes/cb58.ts';
import { type UtxoTransaction, utxoPlace } from './utxoPlace.ts';

/** An output of a P-, X- or C-Chain atomic transaction: a UTXO that it makes, or an EVM account that it credits. */
export const output = z.object({
  tx_id: text('Transaction that pays (cb58).'),
  output_index: int64('Index by which the UTXO is spent; of an EVM account its place in the list.'),
  ...utxoPlace,
  destination: text('output, exported, stake (comes to be when staking ends), initial_state, operation, evm.'),
  output_type: text('Type on the wire, such as TransferOutput or NftTransferOutput.'),
  utxo_id: optional(text('Id of the UTXO (cb58); NULL for an EVM account.')),
  destination_chain_id: text('Chain that holds the output (cb58).'),
  asset_id: text('Asset (cb58).'),
  amount: optional(amount('Amount; NULL for minting rights, NFTs and properties.', 'smallest unit of the asset')),
  locktime: optional(uint64('Unix seconds before which it cannot be spent; 0 for none.')),
  stakeable_locktime: optional(uint64('Unix seconds until when it may only be staked.')),
  threshold: optional(int64('How many of the addresses must sign.')),
  addresses: texts('Owners in bech32, without a chain alias.'),
  evm_address: optional(text('EVM account that is credited.')),
  group_id: optional(int64('Group of an NFT.')),
  payload: optional(text('Payload of an NFT, as hex.')),
});

export interface Made {
  readonly tx: UtxoTransaction;
  readonly index: number;
  readonly destination: 'output' | 'exported' | 'stake' | 'initial_state' | 'operation' | 'evm';
  readonly type: string;
  readonly chain: Uint8Array;
  readonly assetID: Uint8Array;
  /** Null for an EVM account. */
  readonly state: XOutput | null;
  readonly stakeableLocktime: bigint | null;
  readonly account: { readonly address: Uint8Array; readonly amount: bigint } | null;
}

/** Adds the row of an output. */
export const addOutput = rowWriter<typeof output, Made>({
  tx_id: (cell, { tx }) => cell.text(tx.idText),
  output_index: (cell, { index }) => cell.integer(index),
  block_height: (cell, { tx }) => cell.integer(tx.place.height),
  block_timestamp: (cell, { tx }) => cell.seconds(tx.place.timestamp),
  destination: (cell, { destination }) => cell.text(destination),
  output_type: (cell, { type }) => cell.text(type),
  utxo_id: (cell, { state, tx, index }) => cell.text(state && encodeCb58(utxoId(tx.id, index))),
  destination_chain_id: (cell, { chain }) => cell.text(cachedCb58(chain)),
  asset_id: (cell, { assetID }) => cell.text(cachedCb58(assetID)),
  amount: (cell, { state, account }) =>
    cell.integer(account ? account.amount : state && 'amount' in state ? state.amount : null),
  locktime: (cell, { state }) => cell.integer(state?.locktime ?? null),
  stakeable_locktime: (cell, { stakeableLocktime }) => cell.integer(stakeableLocktime),
  threshold: (cell, { state }) => cell.integer(state?.threshold ?? null),
  addresses: (cell, { state, tx }) => cell.texts(state ? addressesOf(state, tx.place.hrp) : []),
  evm_address: (cell, { account }) => cell.hex(account?.address ?? null),
  group_id: (cell, { state }) => cell.integer(state && 'groupID' in state ? state.groupID : null),
  payload: (cell, { state }) => cell.hex(state && 'payload' in state ? state.payload : null),
});
