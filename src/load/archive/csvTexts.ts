import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FirnError } from '../../core/firnError.ts';
import { isTooDense, zipEntries } from './zipEntries.ts';

/** How a file is packed, judged by its first bytes: names and content types are not always right. */
export type Packing = 'csv' | 'gzip' | 'zip';

/** `PK` and 03 04: a file; 05 06: an archive without files. */
const zipBegins = [0x504b0304, 0x504b0506];

/** @throws FirnError `contract` for a page of HTML or XML, which a server may send in place of a file */
export async function packingOf(file: string): Promise<Packing> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (bytesRead >= 2 && buffer.readUInt16BE(0) === 0x1f8b) return 'gzip';
    if (buffer[0] === 0x3c) throw broken(file, 'it is HTML or XML; the download URL may not be good any more');
    return bytesRead === 4 && zipBegins.includes(buffer.readUInt32BE(0)) ? 'zip' : 'csv';
  } finally {
    await handle.close();
  }
}

/**
 * The text of every CSV in a file: the file itself, what its gzip holds, or each CSV of a zip archive.
 *
 * @param maxBytes of all of it unpacked: a small file may unpack to a huge one
 * @throws FirnError `contract` when it is damaged, too large, or not UTF-8
 */
export async function csvTexts(file: string, maxBytes: number): Promise<AsyncIterable<string>[]> {
  const left = { bytes: maxBytes };
  const text = (chunks: AsyncIterable<Buffer>) => decoded(file, chunks, left);
  switch (await packingOf(file)) {
    case 'csv':
      return [text(createReadStream(file))];
    case 'gzip':
      return [text(unzipped(file))];
    case 'zip': {
      const entries = (await zipEntries(file, maxBytes)).filter(({ name }) => !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name));
      const named = entries.filter(({ name }) => /\.csv$/i.test(name));
      return (named.length > 0 ? named : entries).map((entry) => text(entry.read()));
    }
  }
}

async function* unzipped(file: string): AsyncGenerator<Buffer> {
  const packed = createReadStream(file);
  let bytes = 0;
  for await (const chunk of pipeline(packed, createGunzip(), () => {}) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (isTooDense(packed.bytesRead, bytes))
      throw broken(
        file,
        `its first ${packed.bytesRead} bytes grow to ${bytes}, as no table would; report it to the operator of the source`,
      );
    yield chunk;
  }
}

async function* decoded(file: string, chunks: AsyncIterable<Buffer>, left: { bytes: number }): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) {
      left.bytes -= chunk.length;
      if (left.bytes < 0) throw broken(file, 'it unpacks to more than is taken; raise --max-bytes');
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof FirnError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw broken(file, 'it is not UTF-8', error);
    if (code?.startsWith('Z_')) throw broken(file, `it is damaged (${message})`, error);
    throw error;
  }
}

const broken = (file: string, what: string, cause?: unknown) =>
  new FirnError('contract', `${file} cannot be read as CSV: ${what}.`, { cause });
