import { Buffer } from 'node:buffer';
import { bech32 } from '@scure/base';
import { decodeError } from './decodeError.ts';
import { textCache } from './textCache.ts';

const cached = textCache((bytes, hrp) => bech32.encode(hrp, bech32.toWords(bytes)));

/** bech32 address of 20 bytes, without a chain alias: `avax1…`. Owners come again and again. */
export const toBech32 = (bytes: Uint8Array, hrp: string): string => cached(bytes, hrp);

/** Human-readable part and 20 bytes of a bech32 address, with or without a chain alias (`P-avax1…`). */
export function fromBech32(address: string): { hrp: string; bytes: Buffer } {
  const text = address.slice(address.indexOf('-') + 1);
  const decoded = bech32.decodeUnsafe(text);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!decoded || !bytes || bytes.length !== 20) {
    throw decodeError(`${JSON.stringify(address.slice(0, 120))} is not a bech32 address of 20 bytes`, 0);
  }
  return { hrp: decoded.prefix, bytes: Buffer.from(bytes) };
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
