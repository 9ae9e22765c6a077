import { hash } from 'node:crypto';

/** The network's checksum of hex and cb58 text: the last 4 bytes of the SHA-256, as one big-endian number. */
export function checksum(bytes: Uint8Array): number {
  return Number.parseInt(hash('sha256', bytes, 'hex').slice(56), 16);
}
