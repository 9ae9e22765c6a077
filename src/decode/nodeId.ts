import type { Buffer } from 'node:buffer';
import { decodeCb58, encodeCb58 } from './cb58.ts';
import { decodeError } from './decodeError.ts';
import { ripemd160, sha256 } from './hashes.ts';

const prefix = 'NodeID-';

/** `NodeID-…` of the 20 bytes of a node id. */
export function encodeNodeId(bytes: Uint8Array): string {
  return prefix + encodeCb58(bytes);
}

/** The inverse of `encodeNodeId`. */
export function decodeNodeId(text: string): Buffer {
  if (!text.startsWith(prefix)) throw decodeError(`Expected a node id that starts with ${prefix}`, 0);
  const bytes = decodeCb58(text.slice(prefix.length));
  if (bytes.length !== 20) throw decodeError(`Expected a node id of 20 bytes, found ${bytes.length}`, 0);
  return bytes;
}

/** `NodeID-…` of a node's staking certificate (DER, the whole X.509 leaf). */
export function nodeIdOfCertificate(certificate: Uint8Array): string {
  return encodeNodeId(ripemd160(sha256(certificate)));
}
