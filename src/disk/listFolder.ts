import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

/**
 * What lies in a folder; nothing where there is none. Anything else that keeps it from being read is an error: an unreadable folder need not be
 * empty.
 */
export async function listFolder(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
