import { open } from 'node:fs/promises';

/** Puts a folder's entries (new and renamed files) on the disk itself, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  // Windows opens no folders; there a rename is durable by itself.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
