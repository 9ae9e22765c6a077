import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive, and where wanted, what the archive says of it against the truth. */
export interface Packed {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly method?: number;
  readonly flags?: number;
  /** In place of `content` as it is packed. */
  readonly raw?: Buffer;
  readonly crc?: number;
  readonly size?: number;
  readonly packed?: number;
  /** Where its header is said to be. */
  readonly offset?: number;
  /** Sizes and offset of 64 bits, which then stand in a field of their own. */
  readonly wide?: { readonly size?: bigint; readonly packed?: bigint; readonly offset?: bigint };
  readonly extra?: Buffer;
}

/** What the end of the directory says against the truth. */
export interface End {
  readonly count?: number;
  readonly size?: number;
  readonly offset?: number;
  /** A record of zip64 with these, and where it is said to be. */
  readonly wide?: { readonly count?: bigint; readonly offset?: bigint; readonly at?: bigint };
}

const all = 0xffffffff;

/** Numbers one after the other: of 2, 4 and, as bigint, 8 bytes. */
function bytes(...numbers: readonly (readonly [2 | 4, number] | bigint)[]): Buffer {
  return Buffer.concat(
    numbers.map((number) => {
      const buffer = Buffer.alloc(typeof number === 'bigint' ? 8 : number[0]);
      if (typeof number === 'bigint') buffer.writeBigUInt64LE(number);
      else buffer.writeUIntLE(number[1], 0, number[0]);
      return buffer;
    }),
  );
}

/** A zip archive, well-formed unless told otherwise. */
export function archive(files: readonly Packed[], end: End = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const { method = 8, flags = 0, wide } = file;
    const content = Buffer.from(file.content ?? '');
    const raw = file.raw ?? (method === 8 ? deflateRawSync(content) : content);
    const name = Buffer.from(file.name);
    const wideField = wide && Buffer.concat(Object.values(wide).map((value) => bytes(value)));
    const extra = Buffer.concat([
      wideField ? Buffer.concat([bytes([2, 1], [2, wideField.length]), wideField]) : Buffer.alloc(0),
      file.extra ?? Buffer.alloc(0),
    ]);
    const common = bytes(
      [2, 20],
      [2, flags],
      [2, method],
      [4, 0],
      [4, file.crc ?? crc32(content)],
      [4, wide?.packed === undefined ? (file.packed ?? raw.length) : all],
      [4, wide?.size === undefined ? (file.size ?? content.length) : all],
      [2, name.length],
    );
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, bytes([2, 0]), name, raw]);
    const header = wide?.offset === undefined ? (file.offset ?? offset) : all;
    directory.push(
      Buffer.concat([
        Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'),
        common,
        bytes([2, extra.length], [2, 0], [2, 0], [2, 0], [4, 0], [4, header]),
        name,
        extra,
      ]),
    );
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const { count = files.length, size = listed.length, wide } = end;
  return Buffer.concat([
    ...locals,
    listed,
    ...(wide ? [wideEnd(wide, { count: files.length, size, offset, at: offset + listed.length })] : []),
    Buffer.from('PK\u0005\u0006', 'latin1'),
    bytes([4, 0], [2, count], [2, count], [4, size], [4, end.offset ?? offset], [2, 0]),
  ]);
}

/** Record and locator of zip64. */
function wideEnd(
  said: End['wide'] & object,
  true_: { count: number; size: number; offset: number; at: number },
): Buffer {
  const count = said.count ?? BigInt(true_.count);
  return Buffer.concat([
    bytes([4, 0x06064b50], 44n, [2, 45], [2, 45], [4, 0], [4, 0], count, count, BigInt(true_.size)),
    bytes(said.offset ?? BigInt(true_.offset)),
    bytes([4, 0x07064b50], [4, 0], said.at ?? BigInt(true_.at), [4, 1]),
  ]);
}

/** Zeros as deflate packs them, so many MiB of them: 1,029 to 1. */
export function deflatedZeros(mebibytes: number): Buffer {
  const flushed = deflateRawSync(Buffer.alloc(2 ** 20), { finishFlush: 3 });
  return Buffer.concat([...Array.from({ length: mebibytes }, () => flushed), deflateRawSync('')]);
}
