import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifier, literal, qualified } from '../../core/sqlText.ts';
import { openDuckDb } from '../../load/openDuckDb.ts';
import { plainRow } from '../../load/transaction.ts';
import { lakeFolder, type Manifest } from '../manifest.ts';
import { selectFiles } from '../selectFiles.ts';

/** A connection in memory that sees published tables for a while. */
export interface LakeConnection {
  query<R extends Record<string, unknown>>(sql: string): Promise<R[]>;
  close(): void;
}

/**
 * Sees the files of a version where they lie on this machine (the reader database may name them by another path), and the
 * reader database itself as `reader`, where there is one.
 */
export async function connectLake(folder: string, manifest: Manifest, reader?: string): Promise<LakeConnection> {
  const temporary = join(tmpdir(), `firn-verify-${process.pid}`);
  const { connection, close } = await openDuckDb({
    folders: [folder, temporary],
    config: { memory_limit: '1GB', temp_directory: temporary },
  });
  for (const schema of new Set(manifest.tables.map((table) => table.schema))) {
    await connection.run(`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`);
  }
  for (const table of manifest.tables) {
    await connection.run(`CREATE VIEW ${qualified(table)} AS ${selectFiles(table, lakeFolder(folder))}`);
  }
  if (reader) await connection.run(`ATTACH ${literal(reader)} AS reader (READ_ONLY)`);
  return {
    async query(sql) {
      return (await connection.runAndReadAll(sql)).getRowObjects().map(plainRow) as never;
    },
    close,
  };
}
