import type { FileHandle } from 'node:fs/promises';
import { RandomAccessReader } from 'yauzl';

/**
 * Reads bytes of an archive. Positions and lengths are what the archive says, up to 2^64, and Node takes bad ones
 * for errors of the program: a length of 2^31 or more, which 48 bytes are enough to claim, ends the process in an
 * assertion of `fs.read` (args[3]->IsInt32()), and a position beyond 2^53 is thrown where nobody can catch it. So what does not
 * lie in the file is never asked for.
 */
export class ZipReader extends RandomAccessReader {
  readonly #handle: FileHandle;
  readonly #size: number;

  constructor(handle: FileHandle, size: number) {
    super();
    this.#handle = handle;
    this.#size = size;
  }

  /** @throws Error where these bytes are not in the file */
  async bytesAt(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(Math.min(length, this.#size));
    if (position + length <= this.#size) {
      const { bytesRead } = await this.#handle.read(bytes, 0, length, position);
      if (bytesRead === length) return bytes;
    }
    throw new Error('it points to bytes outside the file: the file was cut short, or made to mislead');
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.bytesAt(position, length).then((bytes) => callback(null, bytes.copy(buffer, offset)), callback);
  }
}
