import { z } from 'zod';
import { hex, int32, int64, json, optional, text, texts, uint64, uint256, unixSeconds } from '../../src/index.ts';
import { envelope } from './envelopeSchema.ts';

/** A C-Chain block out of its container; names and values are those of `node_evm_blocks`. */
export const cBlock = z.object({
  number: int64('Height.'),
  hash: hex('Block hash, recomputed from the header.'),
  parent_hash: hex('Hash of the parent block.'),
  timestamp: unixSeconds('Block time (header seconds).'),
  timestamp_milliseconds: optional(int64('Block time with milliseconds, from Granite on.', 'ms')),
  miner: hex('Coinbase.'),
  gas_limit: int64('Gas limit.', 'gas'),
  gas_used: int64('Gas used by the EVM transactions.', 'gas'),
  base_fee_per_gas: optional(uint256('Base fee, from ApricotPhase3 on.', 'wei')),
  difficulty: uint256('Difficulty.', ''),
  nonce: hex('Nonce of the header.'),
  mix_hash: hex('Mix digest.'),
  sha3_uncles: hex('Hash of the uncle list.'),
  state_root: hex('State root.'),
  transactions_root: hex('Root of the transaction trie.'),
  receipts_root: hex('Root of the receipt trie.'),
  logs_bloom: hex('Bloom filter of the logs.'),
  extra_data: hex('Extra data of the header.'),
  ext_data_hash: optional(hex('Hash of the atomic data.')),
  ext_data_gas_used: optional(int64('Gas of the atomic transactions, outside gas_used.', 'gas')),
  block_extra_data: hex('The atomic transactions in their own codec.'),
  block_gas_cost: optional(uint256('Block gas cost.', 'gas')),
  blob_gas_used: optional(int64('Blob gas used.', 'gas')),
  excess_blob_gas: optional(int64('Excess blob gas.', 'gas')),
  parent_beacon_block_root: optional(hex('Parent beacon block root.')),
  min_delay_excess: optional(int64('ACP-226 minimum delay excess, from Granite on.')),
  unknown_header_fields: texts('Header members that this version does not know, as RLP in hex.'),
  transaction_count: int32('EVM transactions.'),
  atomic_transaction_count: int32('Atomic transactions.'),
  size: int64('Size of the inner block.', 'bytes'),
  ...envelope,
});

/** An EVM transaction of the C-Chain; names and values are those of `node_evm_transactions`. */
export const cTransaction = z.object({
  tx_index: int32('Place of the transaction in its block, from 0.'),
  hash: hex('Transaction hash.'),
  block_hash: hex('Hash of the block.'),
  block_number: int64('Height of the block.'),
  block_timestamp: unixSeconds('Block time.'),
  type: int32('Envelope type: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844.'),
  from_address: optional(hex('Sender, recovered from the signature; NULL where none can be.')),
  to_address: optional(hex('Receiver; NULL for a contract creation.')),
  nonce: optional(uint64('Nonce of the sender.')),
  gas_limit: optional(int64('Gas limit.', 'gas')),
  gas_price: optional(uint256('Gas price of the transaction (types 0, 1), else what was paid.', 'wei')),
  max_fee_per_gas: optional(uint256('Highest price per gas the sender agreed to.', 'wei')),
  max_priority_fee_per_gas: optional(uint256('Highest tip per gas.', 'wei')),
  max_fee_per_blob_gas: optional(uint256('Highest price per blob gas.', 'wei')),
  blob_versioned_hashes: optional(texts('Versioned hashes of the blobs.')),
  value: optional(uint256('Native amount sent.', 'wei')),
  input: optional(hex('Call data.')),
  signed_chain_id: optional(int64('Chain id inside the signature (EIP-155); NULL before it.')),
  access_list: optional(json('Access list as JSON.')),
  v: optional(hex('Signature v.')),
  r: optional(hex('Signature r.')),
  s: optional(hex('Signature s.')),
  y_parity: optional(int32('Signature parity (typed transactions).')),
  raw_transaction: optional(hex('Canonical bytes, of a transaction of unknown type only.')),
});

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
