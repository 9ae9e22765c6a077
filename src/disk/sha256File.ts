import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** SHA-256 of a file, in hex; one that is open stays so. */
export async function sha256File(file: string | FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const whole = { start: 0, highWaterMark: 1 << 20 };
  const chunks =
    typeof file === 'string' ? createReadStream(file, whole) : file.createReadStream({ ...whole, autoClose: false });
  for await (const chunk of chunks) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
