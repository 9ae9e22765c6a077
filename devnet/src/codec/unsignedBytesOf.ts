import { toCb58 } from './cb58.ts';
import { sha256 } from './hashes.ts';

/** Bytes before the first transaction of the block forms: Apricot, Banff (P), and X. */
const headerLengths = [50, 58, 90];
const signatureLength = 65;

/** A transaction of a block, as far as JSON tells it. */
interface Signed {
  readonly id: string;
  readonly credentials: readonly (readonly string[])[];
}

/**
 * The signed bytes (with codec version) of the transactions of a block, by id.
 * A transaction's end is found by its signatures, which the JSON shows too, and every piece is proved by its hash; what cannot be proved is left out.
 */
export function unsignedBytesOf(block: Uint8Array, transactions: readonly Signed[]): Map<string, Uint8Array> {
  const bytes = Buffer.from(block);
  const found = new Map<string, Uint8Array>();
  let starts = headerLengths;
  for (const { id, credentials } of transactions) {
    const before = credentials.findIndex((signatures) => signatures.length > 0);
    const first = credentials[before]?.[0];
    if (first === undefined) return found;
    const length = credentials.reduce((sum, signatures) => sum + 8 + signatures.length * signatureLength, 4);
    const proved = starts.flatMap((start) => {
      const signature = bytes.indexOf(first.slice(2), start, 'hex');
      const end = signature - 12 - before * 8;
      if (signature === -1 || end <= start) return [];
      const whole = Buffer.concat([Buffer.alloc(2), bytes.subarray(start, end + length)]);
      return toCb58(sha256(whole)) === id
        ? [{ unsigned: whole.subarray(0, whole.length - length), next: end + length }]
        : [];
    })[0];
    if (proved === undefined) return found;
    found.set(id, proved.unsigned);
    starts = [proved.next];
  }
  return found;
}
