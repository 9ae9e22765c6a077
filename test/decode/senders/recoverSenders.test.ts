import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { keccak256 } from '../../../src/decode/bytes/hashes.ts';
import { recoverSenders } from '../../../src/decode/senders/recoverSenders.ts';
import { writeTree } from '../evm/rlpTree.ts';

const { ecdsaSign, publicKeyCreate } = createRequire(import.meta.url)(
  'secp256k1/elliptic',
) as typeof import('secp256k1');
const key = Buffer.alloc(32, 7);
const sender = `0x${keccak256(publicKeyCreate(key, false).subarray(1)).toString('hex', 12)}`;

const bare = (bytes: Uint8Array) => Buffer.from(bytes.filter((_, i) => bytes.subarray(0, i + 1).some(Boolean)));
const number = (value: number) => bare(Buffer.from(value.toString(16).padStart(16, '0'), 'hex'));

/** Before EIP-155, s is a byte short with the last but one, and r with the last one. */
const nonces = [0, 1, 2, 3, 4, 5, 6, 7, 104, 105];

test.each<[string, number, number, readonly number[], (recoveryId: number) => number]>([
  ['of before EIP-155', 0, 6, [], (id) => 27 + id],
  ['of chain 0', 0, 6, [0, 0, 0], (id) => 35 + id],
  ['of chain 43114', 0, 6, [43_114, 0, 0], (id) => 2 * 43_114 + 35 + id],
  ['with an access list', 1, 8, [], (id) => id],
  ['with a dynamic fee', 2, 9, [], (id) => id],
  ['with blobs', 3, 11, [], (id) => id],
])('the sender of a transaction %s is who signed it', (_, type, count, more, v) => {
  for (const nonce of nonces) {
    const members = Array.from({ length: count }, (_, i) => number(i === 0 ? nonce : i));
    const envelope = (items: readonly Buffer[]) =>
      Buffer.concat([Buffer.from(type === 0 ? [] : [type]), writeTree([...items])]);
    const { signature, recid } = ecdsaSign(keccak256(envelope([...members, ...more.map(number)])), key);
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(bare) as [Buffer, Buffer];
    expect(recoverSenders([envelope([...members, number(v(recid)), r, s])])).toEqual([sender]);
  }
});
