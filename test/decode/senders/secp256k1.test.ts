import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadSecp256k1 } from '../../../src/decode/senders/secp256k1.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';

const require = createRequire(import.meta.url);
const withoutLibrary = (id: string) => {
  if (id.endsWith('bindings')) throw new Error('No native build was found\n    loaded from: /here');
  return require(id);
};
const native = loadSecp256k1(require);
const script = loadSecp256k1(withoutLibrary);
const { ecdsaSign } = require('secp256k1/elliptic') as typeof import('secp256k1');

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const P = 2n ** 256n - 2n ** 32n - 977n;
const bytesOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');

/** The public key, or that there is none. */
function keyOf({ ecdsaRecover }: typeof native, r: bigint, s: bigint, id: number, hash: Uint8Array): string | null {
  try {
    const signature = Buffer.concat([bytesOf(r), bytesOf(s)]);
    const key = Buffer.from(ecdsaRecover(signature, id, hash, false));
    expect(Buffer.from(ecdsaRecover(signature, id, hash, true)).subarray(1)).toEqual(key.subarray(1, 33));
    return key.toString('hex');
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') throw error;
    return null;
  }
}

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** Also beside every bound that the curve has: 0, n/2, n, p - n, p, 2^256. */
const scalar = fc.oneof(
  fc.bigInt({ min: 1n, max: N - 1n }),
  fc
    .tuple(fc.constantFrom(0n, N / 2n, N, P - N, P, 2n ** 256n - 1n), fc.bigInt({ min: -3n, max: 3n }))
    .map(([bound, off]) => bound + off)
    .filter((number) => number >= 0n && number < 2n ** 256n),
);
const recoveryId = fc.integer({ min: -1, max: 4 });

test('says that the library is missing, why, and how to build it', () => {
  expect(script.slow).toContain('(No native build was found)');
  expect(script.slow).toContain('npm rebuild secp256k1 --foreground-scripts');
});

// Where the package brings no library there is nothing to compare.
describe.skipIf(native.slow !== null)('JavaScript recovers what the library does', () => {
  const both = (r: bigint, s: bigint, id: number, hash: Uint8Array) => {
    const key = keyOf(native, r, s, id, hash);
    expect(keyOf(script, r, s, id, hash)).toBe(key);
    return key;
  };

  test('of signatures, low and high', { tags: 'long' }, () => {
    fc.assert(
      fc.property(word, fc.bigInt({ min: 1n, max: N - 1n }), fc.boolean(), (hash, secret, isHigh) => {
        const { signature, recid } = ecdsaSign(hash, bytesOf(secret));
        const [r, s] = [0, 32].map((at) => BigInt(`0x${Buffer.from(signature).toString('hex', at, at + 32)}`)) as [
          bigint,
          bigint,
        ];
        const key = isHigh ? both(r, N - s, recid ^ 1, hash) : both(r, s, recid, hash);
        expect(key).toBe(
          Buffer.from(require('secp256k1/elliptic').publicKeyCreate(bytesOf(secret), false)).toString('hex'),
        );
      }),
      { numRuns: fuzzRuns(50) },
    );
  });

  test('of anything else, and refuses the same', { tags: 'long' }, () => {
    const seen = { keys: 0, refused: 0 };
    fc.assert(
      fc.property(scalar, scalar, recoveryId, word, (r, s, id, hash) => {
        if (both(r, s, id, hash) === null) seen.refused++;
        else seen.keys++;
      }),
      { numRuns: fuzzRuns(600) },
    );
    expect(Math.min(seen.keys, seen.refused)).toBeGreaterThan(50);
  });

  test.each<[string, bigint, bigint, number]>([
    ['r = 0', 0n, 1n, 0],
    ['s = 0', 1n, 0n, 0],
    ['r = n', N, 1n, 0],
    ['s = n', 1n, N, 0],
    ['r of no point', 5n, 1n, 0],
    ['r + n beyond the field', P - N, 1n, 2],
    ['recovery id 4', 1n, 1n, 4],
    ['recovery id -1', 1n, 1n, -1],
  ])('refuses %s', (_, r, s, id) => {
    expect(both(r, s, id, new Uint8Array(32).fill(7))).toBeNull();
  });

  test('of a key at infinity: both refuse', () => {
    // With the generator as R (r = x of G) and s = hash, the sum s·R - hash·G is no key.
    const x = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
    expect(both(x, 7n, 0, bytesOf(7n))).toBeNull();
    expect(both(x, 7n, 1, bytesOf(7n))).not.toBeNull();
  });
});
