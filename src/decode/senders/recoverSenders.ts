import { Buffer } from 'node:buffer';
import { FirnError } from '../../core/firnError.ts';
import { decodeError } from '../bytes/decodeError.ts';
import { keccak256 } from '../bytes/hashes.ts';
import { asBuffer } from '../bytes/hex.ts';
import { RlpReader } from '../evm/rlpReader.ts';
import { rlpPrefix, rlpUint } from '../evm/rlpWriter.ts';
import { secp256k1 } from './secp256k1.ts';

/** Items in front of the signature: what was signed. */
const signedItems: Readonly<Record<number, number>> = { 0: 6, 1: 8, 2: 9, 3: 11 };

/**
 * The sender of an EVM transaction, from its signature: lower-case `0x` hex. `raw` are its canonical (EIP-2718) bytes.
 *
 * The node's own library does it, natively: 25 to 30 times as fast as in JavaScript, 3 times as in WebAssembly; still about 0.1 ms.
 *
 * @throws FirnError `decode` for an unknown type of transaction and for a signature that no key can have made
 */
function recoverSender(raw: Uint8Array): string {
  const bytes = asBuffer(raw);
  const type = new RlpReader(bytes).atList ? 0 : (raw[0] ?? 0);
  const count = signedItems[type];
  if (count === undefined) throw decodeError(`How transactions of type ${type} are signed is not known`, 0);
  const items = new RlpReader(bytes, type === 0 ? 0 : 1).list('transaction');
  const start = items.offset;
  for (let i = 0; i < count; i++) items.item('signed member');
  const signed = items.bytes.subarray(start, items.offset);
  const v = items.uint(32, 'v');
  const signature = Buffer.alloc(64);
  const r = items.field('uint256', 'r');
  bytes.copy(signature, 32 - (items.offset - r), r, items.offset);
  const s = items.field('uint256', 's');
  bytes.copy(signature, 64 - (items.offset - s), s, items.offset);
  const hash = keccak256(type === 0 ? legacyPayload(signed, v) : typedPayload(type, signed));
  const recoveryId = type !== 0 ? Number(v) : v >= 35n ? Number((v - 35n) & 1n) : Number(v - 27n);
  try {
    const key = secp256k1().ecdsaRecover(signature, recoveryId, hash, false);
    return `0x${keccak256(key.subarray(1)).toString('hex', 12)}`;
  } catch (cause) {
    throw Object.assign(decodeError('No key can have made the signature of the transaction', items.offset), { cause });
  }
}

// What is signed is the list of the members in front of the signature: their bytes can be taken as they are, under a new prefix.
const typedPayload = (type: number, signed: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(type), rlpPrefix(signed.length, 0xc0), signed]);

function legacyPayload(signed: Uint8Array, v: bigint): Buffer {
  // EIP-155: from v = 35 on the chain id and two empty members are signed with the rest.
  const chain = v >= 35n ? Buffer.concat([rlpUint((v - 35n) >> 1n), Buffer.of(0x80, 0x80)]) : Buffer.alloc(0);
  return Buffer.concat([rlpPrefix(signed.length + chain.length, 0xc0), signed, chain]);
}

/** Senders of transactions, in order; null where none can be recovered (an unknown type, a signature that is none). */
export function recoverSenders(raws: readonly Uint8Array[]): (string | null)[] {
  return raws.map((raw) => {
    try {
      return recoverSender(raw);
    } catch (error) {
      if (error instanceof FirnError) return null;
      throw error;
    }
  });
}
