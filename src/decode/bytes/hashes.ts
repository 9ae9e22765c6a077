import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { createKeccak, createRIPEMD160 } from 'hash-wasm';
import { asBuffer } from './hex.ts';

/** SHA-256 as 32 bytes. */
export function sha256(bytes: Uint8Array): Buffer {
  // By way of hex: for short inputs the native call is three times as fast as one that allocates a Buffer.
  return Buffer.from(hash('sha256', bytes, 'hex'), 'hex');
}

/** The network's checksum of hex and cb58 text: the last 4 bytes of the SHA-256, as one big-endian number. */
export function checksum(bytes: Uint8Array): number {
  return Number.parseInt(hash('sha256', bytes, 'hex').slice(56), 16);
}

/** Bytes with their checksum behind them. */
export function withChecksum(bytes: Uint8Array): Buffer {
  const all = Buffer.allocUnsafe(bytes.length + 4);
  all.set(bytes);
  all.writeUInt32BE(checksum(bytes), bytes.length);
  return all;
}

// Not every OpenSSL below Node has RIPEMD-160; WebAssembly's Keccak takes a ninth of JavaScript's time on a header of 546 bytes.
// One hasher of each is enough: no call yields.
const ripemd = await createRIPEMD160();
const keccak = await createKeccak(256);

/** RIPEMD-160 as 20 bytes. */
export const ripemd160 = (bytes: Uint8Array): Uint8Array => ripemd.init().update(bytes).digest('binary');

/** Keccak-256 as 32 bytes. */
export function keccak256(bytes: Uint8Array): Buffer {
  return asBuffer(keccak.init().update(bytes).digest('binary'));
}

/** Keccak-256 as lower-case `0x` hex. */
export function keccak256Hex(bytes: Uint8Array): string {
  return `0x${keccak.init().update(bytes).digest()}`;
}
