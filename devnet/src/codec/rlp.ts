/** RLP of a byte string. */
export function rlpBytes(bytes: Uint8Array): Buffer {
  const [first = 0x80] = bytes;
  return bytes.length === 1 && first < 0x80 ? Buffer.from(bytes) : Buffer.concat([prefix(0x80, bytes.length), bytes]);
}

/** RLP of a list of items that are RLP themselves. */
export function rlpList(items: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(items);
  return Buffer.concat([prefix(0xc0, body.length), body]);
}

/** RLP of `0x` hex: of its bytes, or of the number that they are. */
export const rlpHex = (hex: string): Buffer => rlpBytes(Buffer.from(hex.slice(2), 'hex'));
export const rlpQuantity = (hex: string): Buffer => rlpBytes(minimal(BigInt(hex)));

/** The items of an RLP list, each still RLP. Throws a RangeError for what is no list. */
export function rlpItems(bytes: Buffer): Buffer[] {
  const [start, end] = extent(bytes, 0);
  if ((bytes[0] ?? 0) < 0xc0 || end !== bytes.length) throw new RangeError('not an RLP list');
  const items: Buffer[] = [];
  for (let at = start; at < end; ) {
    const [, next] = extent(bytes, at);
    items.push(bytes.subarray(at, next));
    at = next;
  }
  return items;
}

/** Where the content of the item at `at` begins and ends. */
function extent(bytes: Buffer, at: number): [start: number, end: number] {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return [at, at + 1];
  const short = first < 0xc0 ? 0x80 : 0xc0;
  const length = first - short;
  if (length < 56) return [at + 1, at + 1 + length];
  const start = at + 1 + length - 55;
  return [start, start + bytes.readUIntBE(at + 1, length - 55)];
}

function prefix(short: number, length: number): Buffer {
  if (length < 56) return Buffer.of(short + length);
  const digits = minimal(BigInt(length));
  return Buffer.from([short + 55 + digits.length, ...digits]);
}

function minimal(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
