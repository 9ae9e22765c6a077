import type { Buffer } from 'node:buffer';
import { createKeccak } from 'hash-wasm';
import { asBuffer } from './hex.ts';

// WebAssembly: 9 times as fast as the JavaScript implementations on 546-byte headers. One hasher is enough: no call yields.
const hasher = await createKeccak(256);

/** Keccak-256 as 32 bytes. */
export function keccak256(bytes: Uint8Array): Buffer {
  return asBuffer(hasher.init().update(bytes).digest('binary'));
}

/** Keccak-256 as lower-case `0x` hex. */
export function keccak256Hex(bytes: Uint8Array): string {
  return `0x${hasher.init().update(bytes).digest()}`;
}
