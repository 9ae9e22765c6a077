import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuckDb } from '../../load/database/openDuckDb.ts';

/** What a reader database says of itself: the version that it shows, and the path that its views read from. */
export interface ShownVersion {
  readonly version: number;
  readonly root: string;
}

/** The version that a reader database shows; undefined where there is none or it cannot tell. */
async function shownVersion(file: string): Promise<ShownVersion | undefined> {
  if (!existsSync(file)) return undefined;
  const opened = await openDuckDb({ folders: [dirname(file)], file, config: { access_mode: 'READ_ONLY' } }).catch(
    () => undefined,
  );
  try {
    return opened && (await versionShownBy(opened.connection));
  } catch {
    return undefined;
  } finally {
    opened?.close();
  }
}

/** The same of one that is open. */
export async function versionShownBy(connection: DuckDBConnection): Promise<ShownVersion | undefined> {
  const [row] = (await connection.runAndReadAll('SELECT "version", root FROM firn.published')).getRows();
  return row && { version: Number(row[0]), root: String(row[1]) };
}

/** Its number alone; 0 where there is none or it cannot tell. */
export const readerVersion = async (file: string): Promise<number> => (await shownVersion(file))?.version ?? 0;
