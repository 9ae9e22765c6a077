import type { Buffer } from 'node:buffer';
import type { Codec } from '../../src/decode/avalanche/codec.ts';
import { ByteWriter } from './byteWriter.ts';

type Shaped = Pick<Codec<unknown>, 'shape'>;
type Members = Readonly<Record<string, unknown>>;

/**
 * The bytes that a codec reads as a value, by its shape alone.
 *
 * @param version the codec version in front of it, where there is one
 */
export function encode<T>(codec: Codec<T>, value: T, version?: number): Buffer {
  const writer = new ByteWriter();
  if (version !== undefined) writer.u16(version);
  write(writer, codec, value);
  return writer.bytes();
}

function write(writer: ByteWriter, { shape }: Shaped, value: unknown): void {
  const list = (codec: Shaped, items: readonly unknown[]) => {
    writer.u32(items.length);
    for (const item of items) write(writer, codec, item);
  };
  const struct = (fields: Readonly<Record<string, Shaped>>) => {
    for (const [name, codec] of Object.entries(fields)) write(writer, codec, (value as Members)[name]);
  };
  switch (shape.kind) {
    case 'u8':
    case 'u32':
    case 'u64':
      writer[shape.kind](value as never);
      break;
    case 'bool':
      writer.u8(Number(value));
      break;
    case 'text':
      writer.u16((value as Buffer).length);
      writer.fixed(value as Buffer);
      break;
    case 'fixed':
      writer.fixed(value as Buffer);
      break;
    case 'bytes':
      writer.prefixed(value as Buffer);
      break;
    case 'list':
      list(shape.item, value as unknown[]);
      break;
    case 'struct':
      struct(shape.fields);
      break;
    case 'union': {
      const [typeId, fields] = shape.variants[(value as { type: string }).type] ?? [Number.NaN, {}];
      writer.u32(typeId);
      struct(fields);
      break;
    }
    case 'signedTx':
      struct({ unsignedTx: shape.unsignedTx });
      list(shape.credential, (value as { credentials: unknown[] }).credentials);
  }
}
