import secp256k1 from 'secp256k1';
import { sha256 } from '../../codec/hashes.ts';
import { once } from '../../once.ts';
import type { PrimaryTx } from './primaryTypes.ts';

const keys = once((_: PrimaryTx) => new Map<string, Uint8Array | null>());

/** The compressed public key behind a signature (`0x` hex, 65 bytes) of a transaction, or null where the signed bytes are not known. */
export function recoverKey(tx: PrimaryTx, signature: string): Uint8Array | null {
  const known = keys(tx);
  const found = known.get(signature);
  if (found !== undefined) return found;
  const unsigned = tx.unsigned();
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const key = unsigned === null || bytes.length !== 65 ? null : recover(bytes, unsigned);
  known.set(signature, key);
  return key;
}

function recover(signature: Buffer, unsigned: Uint8Array): Uint8Array | null {
  try {
    return secp256k1.ecdsaRecover(
      Uint8Array.from(signature.subarray(0, 64)),
      signature[64] ?? 0,
      sha256(unsigned),
      true,
    );
  } catch {
    return null;
  }
}
