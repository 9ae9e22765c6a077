import { jsonText } from '../core/columns.ts';
import { atomicTransactionRows, type CAtomicTransactionRow } from './cAtomicTransactionRows.ts';
import { type EnvelopeRow, envelopeRow } from './envelopeRow.ts';
import { decodeEvmBlock } from './evmBlock.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import { decodeExtraData } from './extraData.ts';
import { fromHex, toHex } from './hex.ts';
import type { Envelope } from './proposervm.ts';
import { safeInteger } from './safeInteger.ts';
import { unixSeconds } from './unixSeconds.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';

/**
 * A block of the C-Chain; beside the envelope and the counts, names and values are those of eth_getBlockByNumber.
 * Members that a fork brought are null before it. Hashes, addresses and bytes are lower-case `0x` hex.
 */
export interface CBlockRow extends EnvelopeRow {
  readonly number: number;
  /** Keccak-256 of the header, recomputed from the bytes. */
  readonly hash: string;
  readonly parent_hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Unix milliseconds; from Granite on. */
  readonly timestamp_milliseconds: bigint | null;
  readonly miner: string;
  readonly gas_limit: bigint;
  /** Gas of the EVM transactions. */
  readonly gas_used: bigint;
  /** Wei; from ApricotPhase3 on. */
  readonly base_fee_per_gas: bigint | null;
  readonly difficulty: bigint;
  readonly nonce: string;
  readonly mix_hash: string;
  readonly sha3_uncles: string;
  readonly state_root: string;
  readonly transactions_root: string;
  readonly receipts_root: string;
  readonly logs_bloom: string;
  readonly extra_data: string;
  readonly ext_data_hash: string | null;
  /** Gas of the atomic transactions, outside `gas_used`; from ApricotPhase4 on. */
  readonly ext_data_gas_used: bigint | null;
  /** The atomic transactions in their own codec. */
  readonly block_extra_data: string;
  readonly block_gas_cost: bigint | null;
  readonly blob_gas_used: bigint | null;
  readonly excess_blob_gas: bigint | null;
  readonly parent_beacon_block_root: string | null;
  readonly min_delay_excess: bigint | null;
  /** RLP, as hex, of header members that this version does not know. */
  readonly unknown_header_fields: readonly string[];
  readonly transaction_count: number;
  readonly atomic_transaction_count: number;
  /** Bytes of the inner block. */
  readonly block_size: number;
}

/**
 * A transaction of the C-Chain; names and values are those of eth_getBlockByNumber. What a type of transaction does not have
 * is null; of an unknown type all but place, hash, type and `raw_transaction` are null.
 */
export interface CTransactionRow {
  /** Place in the block, from 0. */
  readonly tx_index: number;
  readonly hash: string;
  readonly block_hash: string;
  readonly block_number: number;
  /** Unix seconds. */
  readonly block_timestamp: number;
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844. */
  readonly type: number;
  /** Sender; null here: it has to be recovered from the signature (`recoverSender`), which is slow. */
  readonly from_address: string | null;
  /** Receiver; null for a contract creation. */
  readonly to_address: string | null;
  readonly nonce: bigint | null;
  readonly gas_limit: bigint | null;
  /** Wei; of the transaction (types 0 and 1), else what was paid: base fee plus tip, at most the maximum. */
  readonly gas_price: bigint | null;
  readonly max_fee_per_gas: bigint | null;
  readonly max_priority_fee_per_gas: bigint | null;
  readonly max_fee_per_blob_gas: bigint | null;
  readonly blob_versioned_hashes: readonly string[] | null;
  /** Wei. */
  readonly value: bigint | null;
  readonly input: string | null;
  /** Chain id inside the signature; null before EIP-155. */
  readonly signed_chain_id: bigint | null;
  /** JSON text. */
  readonly access_list: string | null;
  readonly v: string | null;
  readonly r: string | null;
  readonly s: string | null;
  /** Of typed transactions. */
  readonly y_parity: number | null;
  /** The canonical bytes; only of an unknown type, whose members cannot be told. */
  readonly raw_transaction: string | null;
}

/** The rows of one container of the index C/block. */
export interface CContainerRows {
  readonly chain: 'C';
  readonly block: CBlockRow;
  readonly transactions: readonly CTransactionRow[];
  /** Canonical bytes of each of `transactions`, for `recoverSender`. */
  readonly rawTransactions: readonly Uint8Array[];
  readonly atomicTransactions: readonly CAtomicTransactionRow[];
  /** Of the atomic transactions. */
  readonly inputs: readonly InputRow[];
  /** Of the atomic transactions. */
  readonly outputs: readonly OutputRow[];
}

export function cContainerRows(envelope: Envelope, hrp: string): CContainerRows {
  const { header, transactions, extraData } = decodeEvmBlock(envelope.inner);
  const number = safeInteger(header.number, 'block number');
  const timestamp = unixSeconds(header.timestamp, 'time of the block');
  const { txs } = decodeExtraData(extraData ?? new Uint8Array());
  const place = { hash: header.hash, number, timestamp, baseFee: header.baseFeePerGas ?? 0n };
  return {
    chain: 'C',
    // The envelope is spread last: followed by so many members, a spread costs a hundred times as much.
    block: {
      number,
      hash: header.hash,
      parent_hash: header.parentHash,
      timestamp,
      timestamp_milliseconds: header.timestampMilliseconds,
      miner: header.miner,
      gas_limit: header.gasLimit,
      gas_used: header.gasUsed,
      base_fee_per_gas: header.baseFeePerGas,
      difficulty: header.difficulty,
      nonce: header.nonce,
      mix_hash: header.mixHash,
      sha3_uncles: header.sha3Uncles,
      state_root: header.stateRoot,
      transactions_root: header.transactionsRoot,
      receipts_root: header.receiptsRoot,
      logs_bloom: header.logsBloom,
      extra_data: header.extraData,
      ext_data_hash: header.extDataHash,
      ext_data_gas_used: header.extDataGasUsed,
      block_gas_cost: header.blockGasCost,
      blob_gas_used: header.blobGasUsed,
      excess_blob_gas: header.excessBlobGas,
      parent_beacon_block_root: header.parentBeaconBlockRoot,
      min_delay_excess: header.minDelayExcess,
      unknown_header_fields: header.unknownFields,
      block_extra_data: toHex(extraData ?? new Uint8Array()),
      transaction_count: transactions.length,
      atomic_transaction_count: txs.length,
      block_size: envelope.inner.length,
      ...envelopeRow(envelope, fromHex(header.hash), fromHex(header.parentHash)),
    },
    transactions: transactions.map((tx, index) => transactionRow(tx, index, place)),
    rawTransactions: transactions.map((tx) => tx.raw),
    ...atomicTransactionRows(txs, { height: number, timestamp, hrp }),
  };
}

interface Place {
  readonly hash: string;
  readonly number: number;
  readonly timestamp: number;
  readonly baseFee: bigint;
}

function transactionRow(tx: EvmTransaction, index: number, place: Place): CTransactionRow {
  return {
    tx_index: index,
    hash: tx.hash,
    block_hash: place.hash,
    block_number: place.number,
    block_timestamp: place.timestamp,
    type: tx.type,
    from_address: null,
    to_address: tx.to,
    nonce: tx.nonce,
    gas_limit: tx.gasLimit,
    gas_price: tx.gasPrice ?? paidPrice(tx, place.baseFee),
    max_fee_per_gas: tx.maxFeePerGas,
    max_priority_fee_per_gas: tx.maxPriorityFeePerGas,
    max_fee_per_blob_gas: tx.maxFeePerBlobGas,
    blob_versioned_hashes: tx.blobVersionedHashes,
    value: tx.value,
    input: tx.input,
    signed_chain_id: tx.chainId,
    access_list: tx.accessList && jsonText(tx.accessList),
    v: quantity(tx.v),
    r: quantity(tx.r),
    s: quantity(tx.s),
    y_parity: tx.type === 0 ? null : tx.yParity,
    raw_transaction: tx.nonce === null ? toHex(tx.raw) : null,
  };
}

function paidPrice(tx: EvmTransaction, baseFee: bigint): bigint | null {
  if (tx.maxFeePerGas === null || tx.maxPriorityFeePerGas === null) return null;
  const room = tx.maxFeePerGas - baseFee;
  return room < tx.maxPriorityFeePerGas ? tx.maxFeePerGas : baseFee + tx.maxPriorityFeePerGas;
}

const quantity = (value: bigint | null) => (value === null ? null : `0x${value.toString(16)}`);
