import { Buffer } from 'node:buffer';
import type { EvmHeader } from '../../decode/evm/evmHeader.ts';
import type { EvmTransaction } from '../../decode/evm/evmTransaction.ts';
import type { EvidenceRow } from './evidenceRows.ts';

/** The header that a row of blocks holds. */
export function headerOfRow(row: EvidenceRow): EvmHeader {
  return {
    hash: text(row, 'hash'),
    parentHash: text(row, 'parent_hash'),
    sha3Uncles: text(row, 'sha3_uncles'),
    miner: text(row, 'miner'),
    stateRoot: text(row, 'state_root'),
    transactionsRoot: text(row, 'transactions_root'),
    receiptsRoot: text(row, 'receipts_root'),
    logsBloom: text(row, 'logs_bloom'),
    difficulty: integer(row, 'difficulty') ?? 0n,
    number: integer(row, 'number') ?? 0n,
    gasLimit: integer(row, 'gas_limit') ?? 0n,
    gasUsed: integer(row, 'gas_used') ?? 0n,
    timestamp: integer(row, 'timestamp') ?? 0n,
    extraData: text(row, 'extra_data'),
    mixHash: text(row, 'mix_hash'),
    nonce: text(row, 'nonce'),
    extDataHash: textOrNull(row, 'ext_data_hash'),
    baseFeePerGas: integer(row, 'base_fee_per_gas'),
    extDataGasUsed: integer(row, 'ext_data_gas_used'),
    blockGasCost: integer(row, 'block_gas_cost'),
    blobGasUsed: integer(row, 'blob_gas_used'),
    excessBlobGas: integer(row, 'excess_blob_gas'),
    parentBeaconBlockRoot: textOrNull(row, 'parent_beacon_block_root'),
    timestampMilliseconds: integer(row, 'timestamp_milliseconds'),
    minDelayExcess: integer(row, 'min_delay_excess'),
    targetExponent: integer(row, 'target_exponent'),
    minPriceExponent: integer(row, 'min_price_exponent'),
    settledHeight: integer(row, 'settled_height'),
    settledGasUnix: integer(row, 'settled_gas_unix'),
    settledGasNumerator: integer(row, 'settled_gas_numerator'),
    settledExcess: integer(row, 'settled_excess'),
    unknownFields: list(row, 'unknown_header_fields'),
  };
}

/** Types of transactions whose bytes can be made from their members. */
const knownTypes = 3;

/** Whether the transaction's bytes can be made from its row. */
export const isEncodable = (row: EvidenceRow) =>
  Number(row['type']) <= knownTypes || (row['raw_transaction'] ?? null) !== null;

/** The transaction that a row holds. The price of a dynamic-fee row is what was paid, and no part of the transaction. */
export function transactionOfRow(row: EvidenceRow): EvmTransaction {
  const type = Number(row['type']);
  const isDynamic = type >= 2;
  const raw = textOrNull(row, 'raw_transaction');
  const yParity = integer(row, 'y_parity');
  return {
    hash: text(row, 'hash'),
    type,
    raw: raw === null ? Buffer.alloc(0) : Buffer.from(raw.slice(2), 'hex'),
    chainId: integer(row, 'signed_chain_id'),
    nonce: raw === null ? integer(row, 'nonce') : null,
    gasPrice: isDynamic ? null : integer(row, 'gas_price'),
    maxFeePerGas: isDynamic ? integer(row, 'max_fee_per_gas') : null,
    maxPriorityFeePerGas: isDynamic ? integer(row, 'max_priority_fee_per_gas') : null,
    gasLimit: integer(row, 'gas_limit'),
    to: textOrNull(row, 'to_address'),
    value: integer(row, 'value'),
    input: textOrNull(row, 'input'),
    accessList: list(row, 'access_list'),
    maxFeePerBlobGas: type === 3 ? integer(row, 'max_fee_per_blob_gas') : null,
    blobVersionedHashes: type === 3 ? list(row, 'blob_versioned_hashes') : null,
    v: integer(row, 'v') ?? yParity,
    yParity: yParity === null ? null : Number(yParity),
    r: integer(row, 'r'),
    s: integer(row, 's'),
  };
}

export function text(row: EvidenceRow, name: string): string {
  return textOrNull(row, name) ?? '';
}

export function textOrNull(row: EvidenceRow, name: string): string | null {
  const value = row[name] ?? null;
  return value === null ? null : String(value);
}

/** Decimal or hex digits, whatever the column's type. */
export function integer(row: EvidenceRow, name: string): bigint | null {
  const value = row[name] ?? null;
  return value === null ? null : BigInt(value);
}

/** A list that came as JSON text; empty where there is none. */
export function list<T = string>(row: EvidenceRow, name: string): readonly T[] {
  const value = textOrNull(row, name);
  return value === null ? [] : ((JSON.parse(value) as T[] | null) ?? []);
}
