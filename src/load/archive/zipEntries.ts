import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { FirnError } from '../../core/firnError.ts';
import { printableLine } from '../../core/text/printable.ts';
import { ZipReader } from './zipReader.ts';

/** A file inside a zip archive. */
export interface ZipEntry {
  /** Never the name of a file on disk. */
  readonly name: string;
  /** Its content, decompressed; checked against its length and CRC at the end. */
  read(): AsyncIterable<Buffer>;
}

/** Exports have one or a few; the cost of listing one is bounded by its three fields of 64 KiB. */
const mostEntries = 1_000;
/** What may stand behind the last entry of a directory: the end record, or that of zip64. */
const endRecords = [0x06054b50, 0x06064b50];

/** An entry, and where its bytes lie: from its header to behind its content. */
interface Extent {
  readonly name: string;
  readonly header: number;
  readonly start: number;
  readonly end: number;
  /** Of the content, decompressed. */
  readonly length: number;
  readonly crc: number;
  readonly method: number;
}

/**
 * The files of a zip archive, in the order of its directory: stored or deflated, not encrypted, each with bytes of its own. Its
 * directory is read entry by entry and believed only where it fits the file.
 *
 * @param maxBytes of all of them unpacked
 * @throws FirnError `contract` when it is no archive, or one that is damaged, too large, or made to do harm
 */
export async function zipEntries(file: string, maxBytes: number): Promise<ZipEntry[]> {
  const handle = await open(file, 'r');
  try {
    const extents = await listExtents(file, handle, maxBytes);
    return extents
      .filter(({ name }) => !name.endsWith('/'))
      .map((extent) => ({ name: extent.name, read: () => content(file, extent) }));
  } catch (error) {
    const { message, errno } = error as NodeJS.ErrnoException;
    if (error instanceof FirnError || errno !== undefined) throw error;
    throw broken(file, message.replace(/\.$/, ''), again, error);
  } finally {
    await handle.close();
  }
}

async function listExtents(file: string, handle: FileHandle, maxBytes: number): Promise<Extent[]> {
  const { size } = await handle.stat();
  const reader = new ZipReader(handle, size);
  const zip = await fromRandomAccessReaderPromise(reader, size, { autoClose: false });
  if (zip.entryCount > mostEntries)
    throw broken(file, `it names ${zip.entryCount} entries, and at most ${mostEntries} are read`);
  const directory = cursorOf(zip);
  const extents: Extent[] = [];
  const names = new Set<string>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    const problem = problemOf(entry, names);
    if (problem !== undefined) throw broken(file, problem);
    names.add(entry.fileName);
    unpacked += entry.uncompressedSize;
    if (unpacked > maxBytes) throw broken(file, `it unpacks to more than ${maxBytes} bytes`, 'Raise --max-bytes.');
    const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const { fileName: name, relativeOffsetOfLocalHeader: header, compressedSize, uncompressedSize: length } = entry;
    const { compressionMethod: method, crc32: crc } = entry;
    extents.push({ name, header, start, end: start + compressedSize, length, crc, method });
  }
  const behind = await reader.bytesAt(cursorOf(zip), 4);
  if (!endRecords.includes(behind.readUInt32LE())) throw broken(file, 'its directory does not end where it says');
  refuseOverlaps(file, extents, directory);
  return extents;
}

/** It is a number, though the types do not say so. */
const cursorOf = (zip: ZipFile) => zip.readEntryCursor as unknown as number;

function problemOf(entry: Entry, names: ReadonlySet<string>): string | undefined {
  const { fileName: name, compressionMethod: method, compressedSize, uncompressedSize } = entry;
  // The library refuses names that climb (..) or begin at a root, those of Windows included.
  if (/\p{Cc}/u.test(name)) return `${name} is a name with control characters`;
  if (names.has(name)) return `${name} is in it twice`;
  if (entry.isEncrypted()) return `${name} is encrypted`;
  if (method !== 0 && method !== 8) return `${name} is compressed by method ${method}, and only deflate (8) is read`;
  if (isTooDense(compressedSize, uncompressedSize))
    return `${name} would grow from ${compressedSize} to ${uncompressedSize} bytes, as no table would`;
  return undefined;
}

/** Entries that share bytes make a small archive huge, and no archiver writes them. */
function refuseOverlaps(file: string, extents: readonly Extent[], directory: number): void {
  const inOrder = [...extents].sort((a, b) => a.header - b.header);
  for (const [i, { name, end }] of inOrder.entries()) {
    if (end > (inOrder[i + 1]?.header ?? directory))
      throw broken(file, `${name} shares its bytes with the entry after it`);
  }
}

async function* content(file: string, { name, start, end, length, crc, method }: Extent): AsyncGenerator<Buffer> {
  let bytes = 0;
  let sum = 0;
  if (end > start) {
    const packed = createReadStream(file, { start, end: end - 1 });
    // The error arrives at the reader of the last stream.
    const stream = method === 0 ? packed : pipeline(packed, createInflateRaw(), () => {});
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > length) break;
      sum = crc32(chunk, sum);
      yield chunk;
    }
  }
  if (bytes !== length || sum !== crc) throw broken(file, `${name} is damaged: its length or checksum is wrong`);
}

const again = 'Remove the file and download it again; if this persists, report it to the operator of the source.';

const broken = (file: string, what: string, next = again, cause?: unknown) =>
  new FirnError('contract', `${file} cannot be read as a zip archive: ${printableLine(what, 300)}. ${next}`, { cause });

/** No table packs better: rows hold hashes. Deflate itself reaches 1,032. */
const most = 200;
/** A file below this size does no harm. */
const always = 2 ** 20;

/** Whether so many bytes, packed and unpacked, are more likely to fill a machine (a "zip bomb") than to carry rows. */
export const isTooDense = (packed: number, unpacked: number): boolean => unpacked > always && unpacked > most * packed;
