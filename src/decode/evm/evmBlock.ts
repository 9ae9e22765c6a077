import type { Buffer } from 'node:buffer';
import { asBuffer } from '../bytes/hex.ts';
import { type EvmHeader, type EvmHeaderFields, evmHeader, readHeaderFields } from './evmHeader.ts';
import { decodeEvmTransaction, type EvmTransaction, transactionItem } from './evmTransaction.ts';
import { RlpReader } from './rlpReader.ts';

/** A block of the C-Chain, as it stands inside the proposervm's envelope. */
export interface EvmBlock {
  readonly header: EvmHeader;
  readonly transactions: readonly EvmTransaction[];
  /** RLP of each uncle; there are none on Avalanche. */
  readonly uncles: readonly Buffer[];
  /** Always 0 so far. */
  readonly version: bigint;
  /** The atomic transactions in their own codec (see `decodeExtraData`); empty without any. */
  readonly extraData: Buffer;
}

/** What a block holds beside its transactions. */
interface EvmBlockParts extends Omit<EvmBlock, 'header' | 'transactions'> {
  readonly header: EvmHeaderFields;
}

/**
 * Reads the RLP of a whole block.
 *
 * @param onTransaction takes the canonical bytes of each transaction, in order
 */
export function readEvmBlock(
  bytes: Uint8Array,
  onTransaction: (raw: Buffer, header: EvmHeaderFields) => void,
): EvmBlockParts {
  const reader = new RlpReader(asBuffer(bytes));
  const body = reader.list('block');
  reader.finish('the block');
  const header = readHeaderFields(body);
  for (const items = body.list('transactions'); !items.done; ) onTransaction(transactionItem(items), header);
  const uncles: Buffer[] = [];
  for (const items = body.list('uncles'); !items.done; ) uncles.push(items.item('uncle'));
  const version = body.uint(4, 'version');
  const extraData = body.string('extra data');
  body.finish('the block');
  return { header, uncles, version, extraData };
}

/** Decodes the RLP of a whole block. */
export function decodeEvmBlock(bytes: Uint8Array): EvmBlock {
  const transactions: EvmTransaction[] = [];
  const parts = readEvmBlock(bytes, (raw) => transactions.push(decodeEvmTransaction(raw)));
  return { ...parts, header: evmHeader(parts.header), transactions };
}
