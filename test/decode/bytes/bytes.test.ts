import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { ByteReader } from '../../../src/decode/bytes/byteReader.ts';
import { ByteWriter } from '../byteWriter.ts';

test('reads what was written', () => {
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const item = fc.tuple(fc.nat(255), fc.nat(65535), fc.nat(2 ** 32 - 1), u64, i64, fc.uint8Array({ maxLength: 900 }));
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), (items) => {
      const writer = new ByteWriter();
      for (const [a, b, c, d, e, f] of items) {
        writer.u8(a);
        writer.u16(b);
        writer.u32(c);
        writer.u64(d);
        writer.i64(e);
        writer.prefixed(f);
      }
      const reader = new ByteReader(writer.bytes());
      for (const [a, b, c, d, e, f] of items) {
        expect([reader.u8('a'), reader.u16('b'), reader.u32('c'), reader.u64('d'), reader.i64('e')]).toEqual([
          a,
          b,
          c,
          d,
          e,
        ]);
        expect(reader.prefixed('f').equals(f)).toBe(true);
      }
      reader.end('the items');
    }),
  );
});

test('says where bytes end and what was expected there', () => {
  const reader = new ByteReader(new Uint8Array(6));
  reader.u32('first');
  expect(() => reader.u64('timestamp')).toThrow(
    'Expected timestamp (8 bytes), but only 2 bytes are left (byte offset 4)',
  );
  expect(() => reader.end('the block')).toThrow('2 bytes are left after the end of the block (byte offset 4)');
  expect(() => reader.fixed(3, 'rest')).toThrow('Expected rest (3 bytes), but only 2 bytes are left');
  reader.u8('last but one');
  expect(() => reader.end('the block')).toThrow('1 bytes are left');
  expect(() => new ByteReader(Buffer.from('ffffffff00', 'hex')).prefixed('memo')).toThrow(FirnError);
});

test('reads a view in the middle of a larger buffer', () => {
  const inner = Uint8Array.from([9, 9, 0xde, 0xad, 0xbe, 0xef]).subarray(2);
  expect(new ByteReader(inner).u32('word')).toBe(0xdeadbeef);
});
