import { isAscii, isUtf8 } from 'node:buffer';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FirnError } from '../../core/firnError.ts';
import { type Bounds, beyond } from '../../core/json/bounds.ts';
import { createGathered, type Gathered } from './gathered.ts';
import type { HoldBytes } from './room.ts';

export interface Body {
  /** Decompressed, UTF-8. */
  readonly content: Buffer;
  /** Size on the wire. */
  readonly wireBytes: number;
}

/** Compressing more often would only take time. */
const mostSteps = 3;

/**
 * A body as bytes of UTF-8, decompressed as `encoding` says (`gzip`, `deflate`, `br`, or several of them).
 *
 * @param wire as it was sent; its memory is given back, but where unpacking fails
 * @param bounds of its size, counted while decompressing: a small body that unpacks to a huge one is cut off in time
 * @param hold waits for room for so many bytes: as many as it may unpack to
 * @throws FirnError `contract`: too large (context.reason `too_large`), not UTF-8, or an encoding nobody asked for ·
 *   errors of zlib as they are
 */
export async function unpacked(wire: Gathered, encoding: string, bounds: Bounds, hold: HoldBytes): Promise<Body> {
  const opened = new Set([wire]);
  try {
    const wireBytes = wire.length;
    let whole = wire;
    const steps = encoding.toLowerCase().split(',').reverse();
    if (steps.length > mostSteps) throw encodedAs(encoding.slice(0, 80));
    for (const step of steps) {
      const packed = whole.bytes();
      const decompressor = decompressorOf(step.trim(), packed);
      if (!decompressor || packed.length === 0) continue;
      // Zlib reads it in a thread of its own, which goes on after an error: memory that was given back would end the process.
      opened.delete(whole);
      const before = whole;
      whole = createGathered(bounds.bytes);
      opened.add(whole);
      decompressor.end(packed);
      for await (const chunk of decompressor as AsyncIterable<Buffer>) {
        const bytes = whole.length + chunk.length;
        if (bytes > bounds.bytes) throw beyond(bounds, 'bytes', `${wireBytes} bytes on the wire`);
        await hold(packed.length + bytes);
        whole.add(chunk);
      }
      opened.add(before);
      await hold(whole.length);
    }
    return { content: checkedText(whole.kept(), bounds), wireBytes };
  } finally {
    for (const gathered of opened) gathered.free();
  }
}

/** UTF-8 without the byte order mark that may stand before it. */
function checkedText(bytes: Buffer, bounds: Bounds): Buffer {
  if (isAscii(bytes)) return bytes;
  // As text it takes two bytes a character.
  if (bytes.length > bounds.bytes / 2) throw beyond(bounds, 'bytes', 'text beyond ASCII counts twice');
  if (!isUtf8(bytes))
    throw new FirnError('contract', 'The answer is not valid UTF-8, as JSON must be.', {
      retryable: true,
      context: { reason: 'not_utf8' },
    });
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes.subarray(3) : bytes;
}

/** Larger than zlib's default, which would take a turn of the event loop for every 16 KiB. */
const options = { chunkSize: 65_536 };

function decompressorOf(encoding: string, bytes: Buffer) {
  switch (encoding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip(options);
    case 'br':
      return createBrotliDecompress(options);
    case 'deflate':
      // Servers send it with and without the zlib header; its first byte tells.
      return ((bytes[0] ?? 0) & 0x0f) === 0x08 ? createInflate(options) : createInflateRaw(options);
    default:
      throw encodedAs(encoding);
  }
}

const encodedAs = (encoding: string) =>
  new FirnError('contract', `The answer is encoded as "${encoding}", which was not asked for.`, {
    context: { reason: 'encoding' },
  });
