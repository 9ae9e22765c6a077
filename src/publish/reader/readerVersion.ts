import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuckDb } from '../../load/database/openDuckDb.ts';

/** What a reader database says of itself: the version that it shows, and the path that its views read from. */
export interface ShownVersion {
  readonly version: number;
  readonly root: string;
}

/** The version that a reader database shows; 0 where there is none or it cannot tell. */
export async function readerVersion(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const opened = await openDuckDb({ folders: [dirname(file)], file, config: { access_mode: 'READ_ONLY' } }).catch(
    () => undefined,
  );
  try {
    return (opened && (await versionShownBy(opened.connection)))?.version ?? 0;
  } catch {
    return 0;
  } finally {
    opened?.close();
  }
}

/** What one says that is open; undefined where it says nothing. */
export async function versionShownBy(connection: DuckDBConnection): Promise<ShownVersion | undefined> {
  const [row] = (await connection.runAndReadAll('SELECT "version", root FROM firn.published')).getRows();
  return row && { version: Number(row[0]), root: String(row[1]) };
}
