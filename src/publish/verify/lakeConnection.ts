import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifier, literal, qualified } from '../../core/text/sqlText.ts';
import { type DuckDb, openDuckDb } from '../../load/database/openDuckDb.ts';
import { type Queries, queryOf } from '../../load/database/transaction.ts';
import { lakeFolder, type Manifest } from '../manifest.ts';
import { heldForWriting } from '../reader/heldForWriting.ts';
import { selectFiles } from '../reader/selectFiles.ts';

/** A connection in memory that sees published tables for a while. */
export interface LakeConnection extends Queries {
  /** Shows the files of tables where they lie on this machine: the reader database may name them by another path. */
  show(tables: Manifest['tables']): Promise<void>;
  close(): void;
}

/** Opens an instance in memory that reaches a warehouse and may lay aside what does not fit. */
export async function openVerifying(folder: string): Promise<DuckDb & Queries> {
  const temporary = join(tmpdir(), `firn-verify-${process.pid}`);
  const opened = await openDuckDb({
    folders: [folder, temporary],
    config: { memory_limit: '1GB', temp_directory: temporary },
  });
  return { ...opened, query: queryOf(opened.connection) };
}

/**
 * Opens a connection to a lake, with the reader database as `reader`, where there is one: as long as it is open, no publish removes a file of its
 * version.
 */
export async function connectLake(folder: string, reader?: string): Promise<LakeConnection> {
  const { connection, query, close } = await openVerifying(folder);
  if (reader)
    await connection.run(`ATTACH ${literal(reader)} AS reader (READ_ONLY)`).catch((error: unknown) => {
      close();
      throw heldForWriting(error, reader) ?? error;
    });
  return {
    query,
    async show(tables) {
      for (const schema of new Set(tables.map((table) => table.schema)))
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`);
      for (const table of tables)
        await connection.run(`CREATE VIEW ${qualified(table)} AS ${selectFiles(table, lakeFolder(folder))}`);
    },
    close,
  };
}
