import { existsSync } from 'node:fs';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { FirnError } from '../core/firnError.ts';
import { countOwnReader } from './openReaders.ts';
import { plainRow } from './plainRow.ts';
import { ownReaderFile } from './readerPaths.ts';
import { repairReaderDatabase } from './repairReaderDatabase.ts';

/** The published data, read-only. Never waits for a run, and stays on the version it was opened on. */
export interface Reader {
  /** Rows as plain objects: BIGINT as bigint, DECIMAL and TIMESTAMP as text. */
  query<R extends Record<string, unknown>>(sql: string, values?: readonly DuckDBValue[]): Promise<R[]>;
  close(): void;
}

/**
 * Opens the reader database of a warehouse; rewrites it first where the warehouse was moved.
 *
 * @throws FirnError `not_found` when nothing was published yet
 */
export async function openReader(folder: string): Promise<Reader> {
  const path = ownReaderFile(folder);
  if (!existsSync(path)) {
    throw new FirnError(
      'not_found',
      `Nothing was published in ${folder} yet (${path} is missing). Run \`firn run\`, or \`firn publish\` after a sync.`,
    );
  }
  await repairReaderDatabase(folder);
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', memory_limit: '1GB' });
  const connection = await instance.connect();
  const query: Reader['query'] = async (sql, values) => {
    const reader = await connection.runAndReadAll(sql, values as DuckDBValue[] | undefined);
    return reader.getRowObjects().map(plainRow) as never;
  };
  const [published] = await query<{ version: bigint }>('SELECT "version" FROM firn.published');
  const version = Number(published?.version);
  countOwnReader(folder, version, 1);
  return {
    query,
    close() {
      countOwnReader(folder, version, -1);
      connection.closeSync();
      instance.closeSync();
    },
  };
}
