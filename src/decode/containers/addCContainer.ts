import type { Envelope } from '../avalanche/envelope.ts';
import { decodeExtraData } from '../avalanche/extraData.ts';
import { keccak256 } from '../bytes/hashes.ts';
import { blockTime, safeInteger } from '../bytes/numbers.ts';
import { readEvmBlock } from '../evm/evmBlock.ts';
import { type EvmHeaderFields, headerAt } from '../evm/evmHeader.ts';
import { readTransactionFields, txSlots } from '../evm/evmTransaction.ts';
import { RlpFields } from '../evm/rlpFields.ts';
import { addAtomicTransactions } from './cAtomicTransactionRows.ts';
import { addCBlock } from './cBlocks.ts';
import type { ContainerRows } from './containerRows.ts';
import { addCTransaction } from './cTransactions.ts';
import type { DecodedIds } from './decodedIds.ts';
import { envelopeRow } from './envelopeRow.ts';

/** The fields of the transaction that is being read. */
const fields = new RlpFields(txSlots);

/** Adds the rows of a C-Chain block. */
export function addCContainer(container: Envelope, hrp: string, into: ContainerRows): DecodedIds {
  let place: ReturnType<typeof placeOf> | undefined;
  let transactions = 0;
  const { header, extraData } = readEvmBlock(container.inner, (raw, read) => {
    place ??= placeOf(read);
    const type = readTransactionFields(raw, fields);
    const transaction = { index: transactions++, hash: keccak256(raw), type, fields, block: place };
    addCTransaction(into.containers_c_transactions, transaction);
  });
  const { number, timestamp } = place ?? placeOf(header);
  const { txs } = decodeExtraData(extraData);
  const envelope = envelopeRow(container, header.hash, header.fields.bytesAt(headerAt.parentHash));
  addCBlock(into.containers_c_blocks, {
    number,
    timestamp,
    header,
    extraData,
    transactions,
    atomicTransactions: txs.length,
    size: container.inner.length,
    envelope,
  });
  addAtomicTransactions(txs, { height: number, timestamp, hrp }, into);
  return { id: envelope.container_id, parentId: envelope.container_parent_id };
}

const placeOf = ({ hash, fields }: EvmHeaderFields) => ({
  hash,
  number: safeInteger(fields.uint(headerAt.number) ?? 0n, 'block number'),
  timestamp: blockTime(fields.uint(headerAt.timestamp) ?? 0n, 'time of the block'),
  baseFee: fields.quantity(headerAt.baseFeePerGas) ?? 0,
});
