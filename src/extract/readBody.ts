import { isAscii, isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { type Bounds, beyond } from '../core/bounds.ts';
import { FirnError } from '../core/firnError.ts';

export interface Body {
  readonly text: string;
  /** Size after decompression. */
  readonly bytes: number;
  /** Size on the wire. */
  readonly wireBytes: number;
}

/** Packed more often it would only take time. */
const mostSteps = 3;

const DECOMPRESS = {
  gzip: promisify(gunzip),
  brotli: promisify(brotliDecompress),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
};

/**
 * Reads a body to its end, decompressed as `encoding` says (`gzip`, `deflate`, `br`, or several of them), as UTF-8 text.
 *
 * @param bounds of its size, counted while reading and while decompressing: a small body that unpacks to a huge one is cut off in time
 * @param hold waits for room for so many bytes; of what is packed, for as much as it may unpack to
 * @throws FirnError `contract`: too large (context.reason `too_large`), not UTF-8, or an encoding nobody asked for ·
 *   errors of the stream and of zlib as they are
 */
export async function readBody(
  stream: AsyncIterable<Buffer>,
  encoding: string,
  bounds: Bounds,
  hold: (bytes: number) => Promise<void>,
): Promise<Body> {
  const { bytes, wireBytes } = await unpackedBytes(stream, encoding, bounds, hold);
  // Most answers are ASCII, which is copied as it stands: a third quicker.
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), bytes: bytes.length, wireBytes };
  if (!isUtf8(bytes)) {
    throw new FirnError('contract', 'The answer is not valid UTF-8, as JSON must be.', {
      retryable: true,
      context: { reason: 'not_utf8' },
    });
  }
  const text = bytes.toString('utf8');
  return { text: text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, bytes: bytes.length, wireBytes };
}

async function unpackedBytes(
  stream: AsyncIterable<Buffer>,
  encoding: string,
  bounds: Bounds,
  hold: (bytes: number) => Promise<void>,
): Promise<{ bytes: Buffer; wireBytes: number }> {
  const chunks: Buffer[] = [];
  let wireBytes = 0;
  // Leaving the loop by an error destroys the stream and its connection with it.
  for await (const chunk of stream) {
    wireBytes += chunk.length;
    if (wireBytes > bounds.bytes) throw beyond(bounds, 'bytes');
    await hold(wireBytes);
    chunks.push(chunk);
  }
  let bytes: Buffer = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, wireBytes);
  const steps = encoding.toLowerCase().split(',').reverse();
  if (steps.length > mostSteps) throw encodedAs(encoding.slice(0, 80));
  for (const step of steps) {
    const decompress = decompressor(step.trim(), bytes);
    if (!decompress || bytes.length === 0) continue;
    await hold(bytes.length + bounds.bytes);
    try {
      bytes = await decompress(bytes, { maxOutputLength: bounds.bytes });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        ? beyond(bounds, 'bytes', `${wireBytes} bytes on the wire`)
        : error;
    }
    await hold(bytes.length);
  }
  return { bytes, wireBytes };
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
      throw encodedAs(encoding);
  }
}

const encodedAs = (encoding: string) =>
  new FirnError('contract', `The answer is encoded as "${encoding}", which was not asked for.`, {
    context: { reason: 'encoding' },
  });
