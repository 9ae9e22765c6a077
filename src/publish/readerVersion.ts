import { existsSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

/** The version that a reader database shows; 0 where there is none or it cannot tell. */
export async function readerVersion(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' }).catch(() => undefined);
  if (!instance) return 0;
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll('SELECT "version" FROM firn.published');
    return Number(reader.getRows()[0]?.[0] ?? 0);
  } catch {
    return 0;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
