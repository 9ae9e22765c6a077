import { base58, bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { isBech32Address, isEvmAddress, toBech32 } from '../../../src/decode/bytes/address.ts';
import { decodeBase58, encodeBase58 } from '../../../src/decode/bytes/base58.ts';
import { cachedCb58, decodeCb58, encodeCb58, isCb58Id } from '../../../src/decode/bytes/cb58.ts';
import { fromHex, toHex } from '../../../src/decode/bytes/hex.ts';
import { decodeHexChecksum, encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { encodeNodeId } from '../../../src/decode/bytes/nodeId.ts';

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
const decodeError = (run: () => unknown, message: RegExp) => {
  expect(run).toThrow(message);
  expect(run).toThrow(FirnError);
};

describe('hex', () => {
  test('is read in either case and written in lower case', () => {
    expect(toHex(fromHex('0xAbCd'))).toBe('0xabcd');
    expect(fromHex('0x').length).toBe(0);
  });

  test.each([
    ['abcd', /starts with 0x/],
    ['0xabc', /even number of hex digits, found 3/],
    ['0xabzz', /hex digit \(byte offset 1\)/],
  ])('refuses %s', (text, message) => decodeError(() => fromHex(text), message));

  test('of one value is left alone by those that are read after it', () => {
    const sizes = [...Array.from({ length: 60 }, (_, i) => 40_000 + i), 65_536, 65_537, 2_000_000];
    const values = sizes.map((size, i) => fromHex(`0x${Buffer.alloc(size, i + 1).toString('hex')}`));
    for (const [i, value] of values.entries()) expect(value.equals(Buffer.alloc(sizes[i] as number, i + 1))).toBe(true);
  });
});

describe('hex with checksum', () => {
  test('comes back from any bytes', () => {
    fc.assert(fc.property(bytes(0, 300), (value) => decodeHexChecksum(encodeHexChecksum(value)).equals(value)));
  });

  test.each([
    ['0x000000', /Expected 4 bytes of checksum/],
    ['0x00000000', /Checksum 0x00000000 does not belong/],
  ])('refuses %s', (text, message) => decodeError(() => decodeHexChecksum(text), message));

  test('refuses bytes of which any one was changed', () => {
    fc.assert(
      fc.property(bytes(1, 100), fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
        const text = fromHex(encodeHexChecksum(value));
        text[at % text.length] = (text[at % text.length] as number) ^ change;
        decodeError(() => decodeHexChecksum(toHex(text)), /Checksum/);
      }),
    );
  });
});

describe('base58 and cb58', () => {
  test('agree with the reference implementation on bytes of any length', () => {
    fc.assert(
      fc.property(fc.oneof(bytes(36), bytes(0, 100)), fc.nat(4), (value, zeros) => {
        const all = new Uint8Array(zeros + value.length);
        all.set(value, zeros);
        expect(encodeBase58(all)).toBe(base58.encode(all));
        expect([...decodeBase58(encodeBase58(all))]).toEqual([...all]);
      }),
    );
  });

  test('agree with it on bytes of every length', () => {
    for (let length = 0; length <= 70; length++)
      for (const fill of [0, 1, 255]) {
        const all = new Uint8Array(length).fill(fill);
        expect(encodeBase58(all)).toBe(base58.encode(all));
      }
  });

  test('are no longer than any id', () => {
    expect(decodeBase58(encodeBase58(new Uint8Array(1000)))).toHaveLength(1000);
    decodeError(() => encodeBase58(new Uint8Array(1001)), /1001 bytes are not an id/);
    decodeError(() => decodeBase58('1'.repeat(1001)), /1001 characters are not an id/);
  });

  test('come back from any bytes', () => {
    fc.assert(
      fc.property(bytes(0, 40), (id) => decodeCb58(encodeCb58(id)).equals(id) && cachedCb58(id) === encodeCb58(id)),
    );
  });

  test('differ where one bit does, also out of the cache', () => {
    const ids = Array.from({ length: 256 }, (_, bit) =>
      new Uint8Array(32).fill(85).map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
    );
    expect(ids.map(cachedCb58)).toEqual(ids.map(encodeCb58));
  });

  test.each([
    [31, false],
    [32, true],
    [33, false],
  ])('of %i bytes are an id: %s', (length, isId) => {
    expect(isCb58Id(encodeCb58(new Uint8Array(length)))).toBe(isId);
  });

  test('write the known ids', () => {
    expect(encodeCb58(new Uint8Array(32))).toBe('11111111111111111111111111111111LpoYY');
    expect(toHex(decodeCb58('2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'))).toBe(
      '0xdbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db',
    );
  });

  test.each([
    ['11111111111111111111111111111111LpoYZ', /Checksum/],
    ['0OIl', /is not base58/],
    ['', /4-byte checksum/],
  ])('refuse %s', (text, message) => decodeError(() => decodeCb58(text), message));
});

describe('addresses and node ids', () => {
  test('have the prefix of their network', () => {
    const bytes = fromHex('0x3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c');
    expect(toBech32(bytes, 'local')).toBe('local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u');
    expect(toBech32(bytes, 'fuji')).toMatch(/^fuji1/);
    expect(isBech32Address('P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u')).toBe(true);
  });

  test('come back from any 20 bytes', () => {
    fc.assert(
      fc.property(bytes(20), (id) => {
        expect(decodeCb58(encodeNodeId(id).slice('NodeID-'.length)).equals(id)).toBe(true);
        const address = toBech32(id, 'avax');
        expect(isBech32Address(address)).toBe(true);
        expect(Buffer.from(bech32.decodeToBytes(address).bytes).equals(id)).toBe(true);
      }),
    );
  });

  test.each([
    'avax1qqqq',
    'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96v',
    '',
    ...[19, 21].map((length) => toBech32(new Uint8Array(length), 'avax')),
  ])('%s is no address', (text) => expect(isBech32Address(text)).toBe(false));

  // The examples of EIP-55.
  test.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('%s is an EVM address, and none with one letter of the other case', (text) => {
    expect(isEvmAddress(text)).toBe(true);
    for (const [i, letter] of [...text].entries()) {
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      if (i > 1 && other !== letter) expect(isEvmAddress(text.slice(0, i) + other + text.slice(i + 1))).toBe(false);
    }
  });
});
