import { z } from 'zod';
import {
  hex,
  int32,
  int64,
  json,
  optional,
  texts,
  transient,
  uint64,
  uint256,
  unixSeconds,
} from '../../core/columns/columns.ts';
import { jsonText } from '../../core/json/jsonText.ts';
import { rowWriter } from '../../core/rows/rowWriter.ts';
import { accessListOf, txAt as at, blobHashesOf, signedChainId } from '../evm/evmTransaction.ts';
import type { RlpFields } from '../evm/rlpFields.ts';

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
  gas_price: optional(
    uint256('Gas price of the transaction (types 0, 1), else what was paid, from Helicon on at most.', 'wei'),
  ),
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
  raw: transient('Canonical bytes, from which the sender is recovered.'),
  raw_transaction: optional(hex('Canonical bytes, of a transaction of unknown type only.')),
});

interface CTransaction {
  /** Place in the block, from 0. */
  readonly index: number;
  /** Keccak-256 of the canonical bytes, in which the fields stand. */
  readonly hash: Uint8Array;
  readonly type: number;
  readonly fields: RlpFields;
  readonly block: {
    readonly hash: Uint8Array;
    readonly number: number;
    /** Unix seconds. */
    readonly timestamp: number;
    /** Wei. */
    readonly baseFee: number | bigint;
  };
}

/** Adds the row of a transaction without its sender, which is recovered later. Throws FirnError `decode` for an integer that no column can hold. */
export const addCTransaction = rowWriter<typeof cTransaction, CTransaction>({
  tx_index: (cell, { index }) => cell.integer(index),
  hash: (cell, { hash }) => cell.hex(hash),
  block_hash: (cell, { block }) => cell.hex(block.hash),
  block_number: (cell, { block }) => cell.integer(block.number),
  block_timestamp: (cell, { block }) => cell.seconds(block.timestamp),
  type: (cell, { type }) => cell.integer(type),
  from_address: (cell) => cell.text(null),
  // Empty where a contract is created.
  to_address: (cell, { fields }) => (fields.isEmpty(at.to) ? cell.text(null) : fields.toHex(cell, at.to)),
  nonce: (cell, { fields }) => fields.toUnsigned(cell, at.nonce),
  gas_limit: (cell, { fields }) => fields.toUnsigned(cell, at.gasLimit),
  gas_price: (cell, { fields, block }) =>
    fields.has(at.gasPrice) ? fields.toUnsigned(cell, at.gasPrice) : cell.integer(paidPrice(fields, block.baseFee)),
  max_fee_per_gas: (cell, { fields }) => fields.toUnsigned(cell, at.maxFeePerGas),
  max_priority_fee_per_gas: (cell, { fields }) => fields.toUnsigned(cell, at.maxPriorityFeePerGas),
  max_fee_per_blob_gas: (cell, { fields }) => fields.toUnsigned(cell, at.maxFeePerBlobGas),
  blob_versioned_hashes: (cell, { fields }) => cell.texts(blobHashesOf(fields)),
  value: (cell, { fields }) => fields.toUnsigned(cell, at.value),
  input: (cell, { fields }) => fields.toHex(cell, at.input),
  signed_chain_id: (cell, { fields, type }) =>
    type === 0 ? cell.integer(signedChainId(fields)) : fields.toUnsigned(cell, at.chainId),
  access_list: (cell, { fields }) => cell.text(accessListText(fields)),
  v: (cell, { fields }) => fields.toQuantity(cell, at.v),
  r: (cell, { fields }) => fields.toQuantity(cell, at.r),
  s: (cell, { fields }) => fields.toQuantity(cell, at.s),
  y_parity: (cell, { fields, type }) => (type === 0 ? cell.integer(null) : fields.toUnsigned(cell, at.v)),
  raw: (cell, { fields }) => cell.bytes(fields.bytes),
  raw_transaction: (cell, { fields }) => (fields.has(at.nonce) ? cell.hex(null) : cell.hex(fields.bytes)),
});

/** What a transaction with a maximum paid: base fee plus tip, at most the maximum. */
function paidPrice(fields: RlpFields, baseFee: number | bigint): number | bigint | null {
  const [most, tip] = [fields.quantity(at.maxFeePerGas), fields.quantity(at.maxPriorityFeePerGas)];
  if (most === null || tip === null) return null;
  const paid = typeof tip === 'number' && typeof baseFee === 'number' ? baseFee + tip : BigInt(baseFee) + BigInt(tip);
  return paid > most ? most : paid;
}

function accessListText(fields: RlpFields): string | null {
  if (!fields.has(at.accessList)) return null;
  return fields.isEmpty(at.accessList) ? '[]' : jsonText(accessListOf(fields));
}
