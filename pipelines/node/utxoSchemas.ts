import { z } from 'zod';
import { amount, int64, json, optional, text, texts, uint64, unixSeconds } from '../../src/index.ts';

const place = {
  block_height: optional(int64('Height of the block; NULL before the X-Chain was linear.')),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks of the P-Chain, which carry none.')),
};

/** An input of a P-, X- or C-Chain atomic transaction: a UTXO that it spends, or an EVM account that it debits. */
export const input = z.object({
  tx_id: text('Transaction that spends (cb58).'),
  input_index: int64('Place in the transaction over all its lists of inputs, from 0.'),
  ...place,
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

/** An output of a P-, X- or C-Chain atomic transaction: a UTXO that it makes, or an EVM account that it credits. */
export const output = z.object({
  tx_id: text('Transaction that pays (cb58).'),
  output_index: int64('Index by which the UTXO is spent; of an EVM account its place in the list.'),
  ...place,
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
