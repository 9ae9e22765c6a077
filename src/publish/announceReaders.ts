import { ifWhole, readCurrent, writeCurrent } from './manifest.ts';

/**
 * Notes the SHA-256 of reader databases before they take the place of those in use, beside the ones of these: a kill at any moment
 * leaves bytes that the manifest knows. Whoever swapped them in then says which ones count (`writeCurrent`).
 */
export async function announceReaders(folder: string, hashes: readonly string[]): Promise<void> {
  const current = await ifWhole(readCurrent(folder));
  if (current) await writeCurrent(folder, current, [...new Set([...(current.readers ?? []), ...hashes])]);
}
