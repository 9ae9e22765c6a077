import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { FirnError } from '../core/firnError.ts';

/** A file inside a zip archive. */
export interface ZipEntry {
  readonly name: string;
  /** Its content, decompressed; checked against its length and CRC at the end. */
  read(): AsyncIterable<Buffer>;
}

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
/** The end record is 22 bytes and a comment of at most 65,535. */
const endSearched = 22 + 65_535;

/**
 * The files of a zip archive, in the order of its directory. Stored and deflated files below 4 GB, not encrypted.
 *
 * @throws FirnError `contract` when it is no archive, or of another kind
 */
export async function zipEntries(file: string): Promise<ZipEntry[]> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const tail = await readAt(handle, Math.max(0, size - endSearched), Math.min(size, endSearched));
    const end = tail.lastIndexOf(littleEndian(endOfDirectory));
    if (end < 0 || end + 22 > tail.length) throw broken(file, 'it has no directory: it was cut');
    const count = tail.readUInt16LE(end + 10);
    const directory = await readAt(handle, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    const entries: ZipEntry[] = [];
    for (let at = 0, n = 0; n < count; n++) {
      if (at + 46 > directory.length || directory.readUInt32LE(at) !== directoryEntry)
        throw broken(file, 'its directory is damaged');
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
        directory.readUInt16LE(at + offset),
      );
      const name = directory.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
      const local = directory.readUInt32LE(at + 42);
      const found = {
        name,
        encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
        method: directory.readUInt16LE(at + 10),
        crc: directory.readUInt32LE(at + 16),
        packed: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
      };
      if (found.size === 0xffffffff || local === 0xffffffff) throw broken(file, `${name} is larger than 4 GB`);
      const head = await readAt(handle, local, 30);
      const from = local + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
      if (!name.endsWith('/')) entries.push({ name, read: () => content(file, from, found) });
      at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
    }
    return entries;
  } finally {
    await handle.close();
  }
}

interface Found {
  readonly name: string;
  readonly encrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

async function* content(file: string, from: number, found: Found): AsyncGenerator<Buffer> {
  const { name, encrypted, method, crc, packed, size } = found;
  if (encrypted) throw broken(file, `${name} is encrypted`);
  if (method !== 0 && method !== 8) throw broken(file, `${name} is compressed by method ${method}`);
  let length = 0;
  let sum = 0;
  if (packed > 0) {
    const stored = createReadStream(file, { start: from, end: from + packed - 1 });
    // The error arrives at the reader of the last stream.
    const stream = method === 0 ? stored : pipeline(stored, createInflateRaw(), () => {});
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      sum = crc32(chunk, sum);
      yield chunk;
    }
  }
  if (length !== size || sum !== crc) throw broken(file, `${name} is damaged: its length or checksum is wrong`);
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  if (bytesRead < length) throw broken('the archive', 'it ends too early');
  return buffer;
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const broken = (file: string, what: string) =>
  new FirnError('contract', `${file} cannot be read as a zip archive: ${what}. Remove the file and download it again.`);
