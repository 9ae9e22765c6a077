import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { FirnError } from '../core/firnError.ts';

export interface Body {
  /** Decompressed, UTF-8. */
  readonly content: Buffer;
  /** Size on the wire. */
  readonly wireBytes: number;
}

const DECOMPRESS = {
  gzip: promisify(gunzip),
  brotli: promisify(brotliDecompress),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
};

/**
 * Reads a body to its end, decompressed as `encoding` says (`gzip`, `deflate`, `br`, or several of them), as bytes of UTF-8.
 *
 * @param maxBytes counted while reading and while decompressing: a small body that unpacks to a huge one is cut off in time
 * @throws FirnError `contract`: too large (context.reason `too_large`), not UTF-8, or an encoding nobody asked for ·
 *   errors of the stream and of zlib as they are
 */
export async function readBody(stream: AsyncIterable<Buffer>, encoding: string, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let wireBytes = 0;
  // Leaving the loop by an error destroys the stream and its connection with it.
  for await (const chunk of stream) {
    wireBytes += chunk.length;
    if (wireBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  let bytes: Buffer = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, wireBytes);
  for (const step of encoding.toLowerCase().split(',').reverse()) bytes = await decoded(bytes, step.trim(), maxBytes);
  if (!isUtf8(bytes)) {
    throw new FirnError('contract', 'The answer is not valid UTF-8, as JSON must be.', {
      retryable: true,
      context: { reason: 'not_utf8' },
    });
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { content: hasMark ? bytes.subarray(3) : bytes, wireBytes };
}

async function decoded(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const decompress = decompressor(encoding, bytes);
  if (!decompress || bytes.length === 0) return bytes;
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw error;
  }
}

function decompressor(encoding: string, bytes: Buffer) {
  switch (encoding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return DECOMPRESS.gzip;
    case 'br':
      return DECOMPRESS.brotli;
    case 'deflate':
      // Servers send it with and without the zlib header; its first byte tells.
      return ((bytes[0] ?? 0) & 0x0f) === 0x08 ? DECOMPRESS.zlib : DECOMPRESS.deflate;
    default:
      throw new FirnError('contract', `The answer is encoded as "${encoding}", which was not asked for.`, {
        context: { reason: 'encoding' },
      });
  }
}

function tooLarge(maxBytes: number): FirnError {
  return new FirnError('contract', `The answer is larger than ${maxBytes} bytes. Ask for less at once.`, {
    context: { reason: 'too_large', maxBytes },
  });
}
