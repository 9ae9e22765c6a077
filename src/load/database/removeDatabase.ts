import { rm } from 'node:fs/promises';

/** Removes a DuckDB file and the write-ahead log beside it, as far as they are there. */
export async function removeDatabase(file: string): Promise<void> {
  for (const path of [file, `${file}.wal`]) await rm(path, { force: true });
}
