import { bech32 } from '@scure/base';
import { createRIPEMD160 } from 'hash-wasm';
import { sha256 } from './hashes.ts';

// One hasher is enough: no call yields.
const hasher = await createRIPEMD160();
const ripemd160 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');

const prefixes: Readonly<Record<number, string>> = { 1: 'avax', 5: 'fuji', 12345: 'local' };

/** The prefix of a network's addresses. */
export const addressPrefix = (networkId: number): string => prefixes[networkId] ?? 'custom';

/** 20 bytes as a bare address, without the chain's letter. */
export const toAddress = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes));

/** The 20 bytes of an address with or without the chain's letter, or null where it is none. */
export function addressBytes(address: string): Uint8Array | null {
  const decoded = bech32.decodeUnsafe(bareAddress(address));
  const bytes = decoded === undefined ? null : bech32.fromWordsUnsafe(decoded.words);
  return bytes?.length === 20 ? Uint8Array.from(bytes) : null;
}

/** `P-local1…` and `local1…` are the same address; answers use the second form. */
export const bareAddress = (address: string): string => address.replace(/^[A-Za-z]+-/, '');

/** The address of a compressed public key. */
export const keyAddress = (prefix: string, publicKey: Uint8Array): string =>
  toAddress(prefix, ripemd160(sha256(publicKey)));
