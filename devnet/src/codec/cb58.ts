import { base58 } from '@scure/base';
import { sha256 } from './hashes.ts';

/** cb58: base58 of the bytes and the last four bytes of their sha256. */
export function toCb58(bytes: Uint8Array): string {
  return base58.encode(Buffer.concat([bytes, sha256(bytes).subarray(-4)]));
}

/** The bytes of a cb58 text. Throws if it is not cb58 or its checksum is wrong. */
export function fromCb58(text: string): Uint8Array {
  const all = base58.decode(text);
  const bytes = all.slice(0, -4);
  if (all.length < 4 || !sha256(bytes).subarray(-4).equals(all.slice(-4)))
    throw new Error(`${text} has a wrong checksum`);
  return bytes;
}

/** Whether a text is the cb58 of so many bytes. */
export function isCb58(text: string, length: number): boolean {
  try {
    return fromCb58(text).length === length;
  } catch {
    return false;
  }
}

/** Whether a text is the id of a node: `NodeID-` and cb58 of 20 bytes. */
export function isNodeId(text: string): boolean {
  return text.startsWith('NodeID-') && isCb58(text.slice('NodeID-'.length), 20);
}

/** The id of an output: cb58 of sha256(output index as 64 bits, transaction id). */
export function utxoIdOf(txId: string, outputIndex: number): string {
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64BE(BigInt(outputIndex));
  return toCb58(sha256(Buffer.concat([prefix, fromCb58(txId)])));
}

/** 32 zero bytes as cb58: what an absent id means to a node, the P-Chain's own id, and that of the Primary Network's subnet. */
export const emptyId = '11111111111111111111111111111111LpoYY';
