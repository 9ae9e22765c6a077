import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { type FieldKind, RlpReader } from '../../../src/decode/evm/rlpReader.ts';
import { rlpUint } from '../../../src/decode/evm/rlpWriter.ts';
import { readTree, tree, writeTree } from './rlpTree.ts';

const hex = (text: string) => new RlpReader(Buffer.from(text, 'hex'));

describe('RLP', () => {
  test('comes back from any tree', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const bytes = writeTree(value);
        const reader = new RlpReader(bytes);
        expect(writeTree(readTree(reader)).equals(bytes)).toBe(true);
        reader.finish('the tree');
      }),
    );
  });

  test.each([
    [0, '80', 'c0'],
    [1, '81', 'c1'],
    [55, 'b7', 'f7'],
    [56, 'b838', 'f838'],
    [255, 'b8ff', 'f8ff'],
    [256, 'b90100', 'f90100'],
    [65_536, 'ba010000', 'fa010000'],
  ])('of %i bytes begins with %s as a string, with %s as a list', (length, string, list) => {
    const bytes = Buffer.alloc(length, 0x80);
    expect(writeTree(bytes)).toEqual(Buffer.concat([Buffer.from(string, 'hex'), bytes]));
    expect(writeTree(Array(length).fill(Buffer.alloc(0)))).toEqual(Buffer.concat([Buffer.from(list, 'hex'), bytes]));
    expect(hex(string + bytes.toString('hex')).string('string')).toEqual(bytes);
    expect(readTree(hex(list + bytes.toString('hex')))).toEqual(Array(length).fill(Buffer.alloc(0)));
  });

  test('of one byte is that byte below 0x80, also alone in a list', () => {
    for (let byte = 0; byte < 256; byte++) {
      const text = (byte < 0x80 ? [byte] : [0x81, byte]).map((one) => one.toString(16).padStart(2, '0')).join('');
      const list = `c${text.length / 2}${text}`;
      expect(writeTree([Buffer.of(byte)]).toString('hex')).toBe(list);
      expect(readTree(hex(list))).toEqual([Buffer.of(byte)]);
    }
  });

  test('comes back from any integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (n) => new RlpReader(rlpUint(n)).uint(32, 'n') === n),
    );
  });

  test.each([
    ['8101', 'shortest'],
    ['b801ff', 'shortest'],
    ['b90001ff', 'shortest'],
    ['b800', 'shortest'],
    ['817f', 'shortest'],
    [`b837${'80'.repeat(55)}`, 'shortest'],
    ['820001', 'leading zero'],
    ['00', 'leading zero'],
    ['89010203040506070809', 'at most 8 bytes'],
    ['83aabb', 'only 2 are left'],
    ['b9', 'cut off'],
    ['c0', 'as an RLP string'],
    ['', 'list ends'],
    ['bf0100000000000000', 'has 8 bytes'],
  ])('refuses %s as an integer', (text, message) => {
    expect(() => hex(text).uint(8, 'n')).toThrow(message);
    expect(() => hex(text).uint(8, 'n')).toThrow(FirnError);
  });

  test.each<[FieldKind, string, string]>([
    ['uint8', '820101', 'at most 1 bytes'],
    ['uint64', '89010203040506070809', 'at most 8 bytes'],
    ['uint256', `a1${'01'.repeat(33)}`, 'at most 32 bytes'],
    ['hashes', 'c3820101', 'Expected 32 bytes of hash, found 2'],
    ['accessList', `d8d794${'11'.repeat(20)}c001`, '1 bytes are left after the end of the access list entry'],
    ['address', '05', 'Expected 20 bytes of member, found 1'],
  ])('refuses as %s what has another length: %s', (kind, text, message) => {
    expect(() => hex(text).field(kind, 'member')).toThrow(message);
  });

  test('refuses a list that reaches over its parent, and items left over', () => {
    expect(() => hex('c1c3').list('outer').list('inner')).toThrow('only 0 are left');
    expect(() => hex('0102').finish('the list')).toThrow('2 bytes are left');
    expect(() => hex('8401020304').fixedHex(5, 'hash')).toThrow('Expected 5 bytes of hash, found 4');
    expect(() => hex('80').list('list')).toThrow('as an RLP list');
  });
});
