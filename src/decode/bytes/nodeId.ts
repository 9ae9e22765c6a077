import { encodeCb58 } from './cb58.ts';
import { ripemd160, sha256 } from './hashes.ts';

/** `NodeID-…` of the 20 bytes of a node id. */
export function encodeNodeId(bytes: Uint8Array): string {
  return `NodeID-${encodeCb58(bytes)}`;
}

/** `NodeID-…` of a node's staking certificate (DER, the whole X.509 leaf). */
export function nodeIdOfCertificate(certificate: Uint8Array): string {
  return encodeNodeId(ripemd160(sha256(certificate)));
}
