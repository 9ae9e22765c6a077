import type { Buffer } from 'node:buffer';
import type { ByteReader } from '../bytes/byteReader.ts';
import { encodeCb58 } from '../bytes/cb58.ts';
import { toHex } from '../bytes/hex.ts';
import { encodeNodeId } from '../bytes/nodeId.ts';

/** Anything that JSON can say, with integers of any size. */
export type Json = null | boolean | string | number | bigint | readonly Json[] | { readonly [name: string]: Json };

/** What the node's JSON needs beyond the bytes. */
export interface JsonView {
  /** Chain alias in front of addresses: `P` or `X`. */
  readonly chain: string;
  /** bech32 prefix of the network's addresses. */
  readonly hrp: string;
}

/**
 * One declaration of a type on the wire: it reads, and gives the node's JSON. Wire types are put together from the pieces
 * below, so that the same lines are reader, TypeScript type and JSON view.
 */
export interface Codec<T> {
  /** How the type is put together, for tools that walk over it. */
  readonly shape: Shape;
  /** `name` is the member's name, for error messages. */
  read(reader: ByteReader, name: string): T;
  json(value: T, view: JsonView): Json;
}

/** The structure of a codec. */
type Shape =
  | { readonly kind: 'u8' | 'u32' | 'u64' | 'bool' | 'bytes' | 'text' }
  | { readonly kind: 'fixed'; readonly length: number }
  | { readonly kind: 'list'; readonly item: Codec<unknown> }
  | { readonly kind: 'struct'; readonly fields: Fields }
  | { readonly kind: 'union'; readonly variants: Variants }
  | { readonly kind: 'signedTx'; readonly unsignedTx: Codec<unknown>; readonly credential: Codec<unknown> };

/** The TypeScript type of a codec's values. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

export const u8: Codec<number> = {
  shape: { kind: 'u8' },
  read: (reader, name) => reader.u8(name),
  json: (value) => value,
};

export const u32: Codec<number> = {
  shape: { kind: 'u32' },
  read: (reader, name) => reader.u32(name),
  json: (value) => value,
};

export const u64: Codec<bigint> = {
  shape: { kind: 'u64' },
  read: (reader, name) => reader.u64(name),
  json: (value) => value,
};

/** One byte, 0 or 1. */
export const bool: Codec<boolean> = {
  shape: { kind: 'bool' },
  read(reader, name) {
    const value = reader.u8(name);
    if (value > 1) throw reader.error(`Expected ${name} as 0 or 1, found ${value} before`);
    return value === 1;
  },
  json: (value) => value,
};

/** Exactly `length` bytes. */
export function fixed(length: number, json: (bytes: Buffer, view: JsonView) => Json = toHex): Codec<Buffer> {
  return {
    shape: { kind: 'fixed', length },
    read: (reader, name) => reader.fixed(length, name),
    json,
  };
}

/** A 32-byte id; cb58 in JSON. */
export const id = fixed(32, encodeCb58);
/** A 20-byte node id; `NodeID-…` in JSON. */
export const nodeId = fixed(20, encodeNodeId);

/** Bytes after their u32 length. */
export function bytes(json: (bytes: Buffer) => Json = toHex): Codec<Buffer> {
  return {
    shape: { kind: 'bytes' },
    read: (reader, name) => reader.prefixed(name),
    json,
  };
}

/** Text after its u16 length. Kept as bytes, since they need not be UTF-8; JSON replaces what is not, as the node's does. */
export const text: Codec<Buffer> = {
  shape: { kind: 'text' },
  read: (reader, name) => reader.fixed(reader.u16(`length of ${name}`), name),
  json: (value) => value.toString('utf8'),
};

/** A u32 count and as many items. */
export function list<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    shape: { kind: 'list', item },
    read(reader, name) {
      const count = reader.u32(`count of ${name}`);
      // Every item has at least one byte: a count beyond the bytes left is nonsense, and must not make the loop go on.
      if (count > reader.remaining) throw reader.error(`${name} claims ${count} items in ${reader.remaining} bytes`);
      const items: T[] = [];
      for (let i = 0; i < count; i++) items.push(item.read(reader, name));
      return items;
    },
    json: (items, view) => items.map((each) => item.json(each, view)),
  };
}

/** Members of a struct, by name, in the order on the wire. */
export type Fields = Readonly<Record<string, Codec<unknown>>>;
type StructOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** Members one after the other, in the order of declaration. */
export function struct<F extends Fields>(fields: F): Codec<StructOf<F>> {
  return structFrom({}, fields) as Codec<StructOf<F>>;
}

function structFrom(start: object, fields: Fields): Codec<Record<string, unknown>> {
  const entries = Object.entries(fields);
  // Values begin as copies of an object with all members: they share one hidden class, and no read adds a member.
  const blank = { ...start, ...Object.fromEntries(Object.keys(fields).map((name) => [name, null])) };
  return {
    shape: { kind: 'struct', fields },
    read(reader) {
      const value: Record<string, unknown> = { ...blank };
      for (const [name, codec] of entries) value[name] = codec.read(reader, name);
      return value;
    },
    json(value, view) {
      const json: Record<string, Json> = {};
      for (const [name, codec] of entries) json[name] = codec.json(value[name], view);
      return json;
    },
  };
}

/** Structs that are told apart by a type id, by name. */
export type Variants = Readonly<Record<string, readonly [typeId: number, fields: Fields]>>;
type UnionOf<V extends Variants> = {
  [K in keyof V]: { readonly type: K } & StructOf<V[K][1]>;
}[keyof V];

/** One of several structs, told apart by a u32 type id in front; the value's `type` holds the variant's name. */
export function union<const V extends Variants>(what: string, variants: V): Codec<UnionOf<V>> {
  const byId = new Map<number, Codec<Record<string, unknown>>>();
  const byName = new Map<string, Codec<Record<string, unknown>>>();
  for (const [name, [typeId, fields]] of Object.entries(variants)) {
    const codec = structFrom({ type: name }, fields);
    byId.set(typeId, codec);
    byName.set(name, codec);
  }
  const variantOf = (value: { type: unknown }) => {
    const variant = byName.get(value.type as string);
    if (!variant) throw new TypeError(`${what} has no type ${String(value.type)}`);
    return variant;
  };
  const codec: Codec<Record<string, unknown> & { type: unknown }> = {
    shape: { kind: 'union', variants },
    read(reader, name) {
      const at = reader.offset;
      const typeId = reader.u32(`type id of ${name}`);
      const variant = byId.get(typeId);
      if (!variant) {
        reader.offset = at;
        throw reader.error(`Unknown type id ${typeId} of ${what} in ${name}`);
      }
      return variant.read(reader, name) as Record<string, unknown> & { type: unknown };
    },
    json: (value, view) => variantOf(value).json(value, view),
  };
  return codec as unknown as Codec<UnionOf<V>>;
}

/** A codec whose JSON is made by `change` from the plain JSON. */
export function withJson<T>(codec: Codec<T>, change: (json: Record<string, Json>, value: T) => Json): Codec<T> {
  return { ...codec, json: (value, view) => change(codec.json(value, view) as Record<string, Json>, value) };
}
