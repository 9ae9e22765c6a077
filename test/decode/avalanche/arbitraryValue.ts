import fc from 'fast-check';
import type { Codec, Fields } from '../../../src/decode/avalanche/codec.ts';

const bytes = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((value) => Buffer.from(value));

/** Values of any wire type, made by walking over its declaration. */
function arbitraryValue(codec: Codec<unknown>): fc.Arbitrary<unknown> {
  const { shape } = codec;
  switch (shape.kind) {
    case 'u8':
      return fc.nat(255);
    case 'u32':
      return fc.nat(2 ** 32 - 1);
    case 'u64':
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case 'bool':
      return fc.boolean();
    case 'bytes':
      return bytes(0, 40);
    case 'text':
      return fc.string({ maxLength: 30 }).map((text) => Buffer.from(text));
    case 'fixed':
      return bytes(shape.length);
    case 'list':
      return fc.array(arbitraryValue(shape.item), { maxLength: 3 });
    case 'struct':
      return arbitraryMembers(shape.fields);
    case 'union':
      return fc.oneof(...Object.entries(shape.variants).map(([type, [, fields]]) => arbitraryVariant(type, fields)));
    case 'signedTx':
      return fc.record({
        unsignedTx: arbitraryValue(shape.unsignedTx),
        credentials: fc.array(arbitraryValue(shape.credential), { maxLength: 2 }),
        id: fc.constant(Buffer.alloc(32)),
      });
  }
}

/** Values of one variant of a union. */
export function arbitraryVariant(type: string, fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  return arbitraryMembers(fields).map((members) => ({ type, ...members }));
}

function arbitraryMembers(fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, codec]) => [name, arbitraryValue(codec)])));
}
