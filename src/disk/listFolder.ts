import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** What lies in a folder; nothing where there is none. Whatever else keeps it from being read is an error: not knowing is not nothing. */
export async function listFolder(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
