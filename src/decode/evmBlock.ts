import type { Buffer } from 'node:buffer';
import { type EvmHeader, type EvmKind, encodeEvmHeader, readEvmHeader } from './evmHeader.ts';
import { type EvmTransaction, encodeTransactionItem, readEvmTransaction } from './evmTransaction.ts';
import { RlpReader } from './rlpReader.ts';
import { rlpList, rlpString, rlpUint } from './rlpWriter.ts';

/** A block of the C-Chain or of an EVM L1, as it stands inside the proposervm's envelope. */
export interface EvmBlock {
  readonly header: EvmHeader;
  readonly transactions: readonly EvmTransaction[];
  /** RLP of each uncle; there are none on Avalanche. */
  readonly uncles: readonly Buffer[];
  /** Always 0 so far; null on an L1, whose blocks end with the uncles. */
  readonly version: bigint | null;
  /** The C-Chain's atomic transactions in their own codec (see `decodeExtraData`); empty without any; null on an L1. */
  readonly extraData: Buffer | null;
}

/** Decodes the RLP of a whole block. */
export function decodeEvmBlock(bytes: Uint8Array, kind: EvmKind = 'coreth'): EvmBlock {
  const reader = new RlpReader(bytes);
  const body = reader.list('block');
  reader.finish('the block');
  const header = readEvmHeader(body, kind);
  const transactions: EvmTransaction[] = [];
  for (const items = body.list('transactions'); !items.done; ) transactions.push(readEvmTransaction(items));
  const uncles: Buffer[] = [];
  for (const items = body.list('uncles'); !items.done; ) uncles.push(items.item('uncle'));
  const version = kind === 'coreth' ? body.uint(4, 'version') : null;
  const extraData = kind === 'coreth' ? body.string('extra data') : null;
  body.finish('the block');
  return { header, transactions, uncles, version, extraData };
}

/** The inverse of `decodeEvmBlock`. */
export function encodeEvmBlock(block: EvmBlock, kind: EvmKind = 'coreth'): Buffer {
  const parts = [
    encodeEvmHeader(block.header, kind),
    rlpList(block.transactions.map(encodeTransactionItem)),
    rlpList(block.uncles),
  ];
  if (block.version !== null) parts.push(rlpUint(block.version));
  if (block.extraData !== null) parts.push(rlpString(block.extraData));
  return rlpList(parts);
}
