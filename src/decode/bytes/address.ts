import { Buffer } from 'node:buffer';
import { bech32 } from '@scure/base';
import { keccak256Hex } from './hashes.ts';
import { textCache } from './textCache.ts';

const cached = textCache((bytes, hrp) => bech32.encode(hrp, bech32.toWords(bytes)));

/** bech32 address of 20 bytes, without a chain alias: `avax1…`. Owners come again and again. */
export const toBech32 = (bytes: Uint8Array, hrp: string): string => cached(bytes, hrp);

/** Whether a text is a bech32 address of 20 bytes whose checksum holds, with or without a chain alias (`P-avax1…`). */
export function isBech32Address(text: string): boolean {
  const decoded = bech32.decodeUnsafe(text.slice(text.indexOf('-') + 1));
  return decoded !== undefined && bech32.fromWordsUnsafe(decoded.words)?.length === 20;
}

/** Whether an EVM address is of one case, or its letters are capital where its checksum says so (EIP-55). */
export function isEvmAddress(text: string): boolean {
  const [, digits] = /^0x([0-9a-f]{40})$/i.exec(text) ?? [];
  if (digits === undefined) return false;
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const nibbles = keccak256Hex(Buffer.from(lower)).slice(2);
  return digits === [...lower].map((one, i) => ((nibbles[i] ?? '') >= '8' ? one.toUpperCase() : one)).join('');
}

/** Who owns something: a number of these addresses must sign, after a point in time. */
export interface OwnerMembers {
  readonly locktime: bigint;
  readonly threshold: number;
  readonly addresses: readonly Uint8Array[];
}

/** The addresses in bech32, without a chain alias. */
export function addressesOf(owner: Pick<OwnerMembers, 'addresses'>, hrp: string): string[] {
  return owner.addresses.map((address) => toBech32(address, hrp));
}
