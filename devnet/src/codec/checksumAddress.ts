import { keccak256 } from './hashes.ts';

const known = new Map<string, string>();
const text = new TextEncoder();

/** EIP-55: an EVM address (`0x`, any case) with the mixed-case checksum. */
export function checksumAddress(address: string): string {
  const lower = address.toLowerCase();
  const found = known.get(lower);
  if (found !== undefined) return found;
  const digits = lower.slice(2);
  const hash = keccak256(text.encode(digits));
  let mixed = '0x';
  for (let at = 0; at < digits.length; at++) {
    const nibble = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15;
    mixed += nibble >= 8 ? digits.charAt(at).toUpperCase() : digits.charAt(at);
  }
  known.set(lower, mixed);
  return mixed;
}

/** The address that mints come from and burns go to. */
export const zeroAddress = `0x${'0'.repeat(40)}`;
