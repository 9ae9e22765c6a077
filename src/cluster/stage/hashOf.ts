import { stat } from 'node:fs/promises';
import { sha256File } from '../../disk/sha256File.ts';

/** SHA-256 of a file, in hexadecimal, and its size. */
export async function hashOf(file: string): Promise<{ readonly sha256: string; readonly bytes: number }> {
  return { sha256: await sha256File(file), bytes: (await stat(file)).size };
}
