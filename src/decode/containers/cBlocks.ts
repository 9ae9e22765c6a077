import { z } from 'zod';
import { hex, int32, int64, optional, texts, uint256, unixSeconds } from '../../core/columns/columns.ts';
import { rowWriter } from '../../core/rows/rowWriter.ts';
import { headerAt as at, type EvmHeaderFields } from '../evm/evmHeader.ts';
import { envelopeColumns, envelopeFilling, type envelopeRow } from './envelopeRow.ts';

/** A C-Chain block out of its container; names and values are those of `node_evm_blocks`. */
export const cBlock = z.object({
  number: int64('Height.'),
  hash: hex('Block hash, recomputed from the header.'),
  parent_hash: hex('Hash of the parent block.'),
  timestamp: unixSeconds('Block time (header seconds).'),
  timestamp_milliseconds: optional(int64('Block time with milliseconds, from Granite on.', 'ms')),
  miner: hex('Coinbase.'),
  gas_limit: int64('Gas limit.', 'gas'),
  gas_used: int64(
    'Gas used by the EVM transactions; from Helicon on the most that they and the atomic ones may use.',
    'gas',
  ),
  base_fee_per_gas: optional(
    uint256('Base fee, from ApricotPhase3 on; from Helicon on the highest that it may be.', 'wei'),
  ),
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
  target_exponent: optional(int64('Exponent of the gas target (ACP-176), from Helicon on.')),
  min_price_exponent: optional(int64('Exponent of the lowest gas price (ACP-283), from Helicon on.')),
  settled_height: optional(
    int64(
      'Height up to which blocks are settled (ACP-194): the roots and the bloom are of the blocks up to it that the parent had not settled, from Helicon on.',
    ),
  ),
  settled_gas_unix: optional(int64('Seconds of the gas clock after the settled block, as Unix time.', 's')),
  settled_gas_numerator: optional(int64('Gas of the gas clock beyond settled_gas_unix.', 'gas')),
  settled_excess: optional(int64('Gas beyond the target after the settled block.', 'gas')),
  unknown_header_fields: texts('Header members that this version does not know, as RLP in hex.'),
  transaction_count: int32('EVM transactions.'),
  atomic_transaction_count: int32('Atomic transactions.'),
  size: int64('Size of the inner block.', 'bytes'),
  ...envelopeColumns,
});

interface CBlock {
  readonly number: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly header: EvmHeaderFields;
  readonly extraData: Uint8Array;
  readonly transactions: number;
  readonly atomicTransactions: number;
  /** Bytes of the inner block. */
  readonly size: number;
  readonly envelope: ReturnType<typeof envelopeRow>;
}

/** Adds the row of a block. Throws FirnError `decode` for an integer that no column can hold. */
export const addCBlock = rowWriter<typeof cBlock, CBlock>({
  number: (cell, { number }) => cell.integer(number),
  hash: (cell, { header }) => cell.hex(header.hash),
  parent_hash: (cell, { header }) => header.fields.toHex(cell, at.parentHash),
  timestamp: (cell, { timestamp }) => cell.seconds(timestamp),
  timestamp_milliseconds: (cell, { header }) => header.fields.toUnsigned(cell, at.timestampMilliseconds),
  miner: (cell, { header }) => header.fields.toHex(cell, at.miner),
  gas_limit: (cell, { header }) => header.fields.toUnsigned(cell, at.gasLimit),
  gas_used: (cell, { header }) => header.fields.toUnsigned(cell, at.gasUsed),
  base_fee_per_gas: (cell, { header }) => header.fields.toUnsigned(cell, at.baseFeePerGas),
  difficulty: (cell, { header }) => header.fields.toUnsigned(cell, at.difficulty),
  nonce: (cell, { header }) => header.fields.toHex(cell, at.nonce),
  mix_hash: (cell, { header }) => header.fields.toHex(cell, at.mixHash),
  sha3_uncles: (cell, { header }) => header.fields.toHex(cell, at.sha3Uncles),
  state_root: (cell, { header }) => header.fields.toHex(cell, at.stateRoot),
  transactions_root: (cell, { header }) => header.fields.toHex(cell, at.transactionsRoot),
  receipts_root: (cell, { header }) => header.fields.toHex(cell, at.receiptsRoot),
  logs_bloom: (cell, { header }) => header.fields.toHex(cell, at.logsBloom),
  extra_data: (cell, { header }) => header.fields.toHex(cell, at.extraData),
  ext_data_hash: (cell, { header }) => header.fields.toHex(cell, at.extDataHash),
  ext_data_gas_used: (cell, { header }) => header.fields.toUnsigned(cell, at.extDataGasUsed),
  block_extra_data: (cell, { extraData }) => cell.hex(extraData),
  block_gas_cost: (cell, { header }) => header.fields.toUnsigned(cell, at.blockGasCost),
  blob_gas_used: (cell, { header }) => header.fields.toUnsigned(cell, at.blobGasUsed),
  excess_blob_gas: (cell, { header }) => header.fields.toUnsigned(cell, at.excessBlobGas),
  parent_beacon_block_root: (cell, { header }) => header.fields.toHex(cell, at.parentBeaconBlockRoot),
  min_delay_excess: (cell, { header }) => header.fields.toUnsigned(cell, at.minDelayExcess),
  target_exponent: (cell, { header }) => header.fields.toUnsigned(cell, at.targetExponent),
  min_price_exponent: (cell, { header }) => header.fields.toUnsigned(cell, at.minPriceExponent),
  settled_height: (cell, { header }) => header.fields.toUnsigned(cell, at.settledHeight),
  settled_gas_unix: (cell, { header }) => header.fields.toUnsigned(cell, at.settledGasUnix),
  settled_gas_numerator: (cell, { header }) => header.fields.toUnsigned(cell, at.settledGasNumerator),
  settled_excess: (cell, { header }) => header.fields.toUnsigned(cell, at.settledExcess),
  unknown_header_fields: (cell, { header }) => cell.texts(header.unknownFields),
  transaction_count: (cell, { transactions }) => cell.integer(transactions),
  atomic_transaction_count: (cell, { atomicTransactions }) => cell.integer(atomicTransactions),
  size: (cell, { size }) => cell.integer(size),
  ...envelopeFilling,
});
