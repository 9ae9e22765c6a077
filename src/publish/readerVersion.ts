import { existsSync } from 'node:fs';
import { openReader } from './openReader.ts';
import { readerFile } from './readerDatabase.ts';

/** The version that the reader database shows; 0 where there is none or it cannot tell. */
export async function readerVersion(folder: string): Promise<number> {
  if (!existsSync(readerFile(folder))) return 0;
  try {
    const reader = await openReader(folder);
    try {
      const [row] = await reader.query<{ version: bigint }>('SELECT "version" FROM firn.published');
      return Number(row?.version ?? 0);
    } finally {
      reader.close();
    }
  } catch {
    return 0;
  }
}
