import { jsonText } from '../core/columns.ts';
import { atomicTransactionRows } from './cAtomicTransactionRows.ts';
import type { CContainerRows, CTransactionRow } from './cRows.ts';
import { envelopeRow } from './envelopeRow.ts';
import { decodeEvmBlock } from './evmBlock.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import { decodeExtraData } from './extraData.ts';
import { fromHex, toHex } from './hex.ts';
import type { Envelope } from './proposervm.ts';
import { safeInteger } from './safeInteger.ts';
import { unixSeconds } from './unixSeconds.ts';

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
      size: envelope.inner.length,
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
