import type { CAtomicTransactionRow } from './cAtomicTransactionRows.ts';
import type { EnvelopeRow } from './envelopeRow.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';

/**
 * A block of the C-Chain; beside the envelope and the counts, names and values are those of eth_getBlockByNumber.
 * Members that a fork brought are null before it. Hashes, addresses and bytes are lower-case `0x` hex.
 */
interface CBlockRow extends EnvelopeRow {
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
  readonly size: number;
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
