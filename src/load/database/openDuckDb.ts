import { realpath } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { literal } from '../../core/text/sqlText.ts';
import { inTransaction } from './inTransaction.ts';

/** An instance of DuckDB with one connection. */
export interface DuckDb {
  readonly connection: DuckDBConnection;
  /** Another connection, which is closed by itself. */
  connect(): Promise<DuckDBConnection>;
  /** Runs work in one transaction: committed where it succeeds, taken back where it throws. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

export interface DuckDbOptions {
  /** Folders that SQL may read and write, even before they exist. Everything else is out of its reach. */
  readonly folders: readonly string[];
  /** The database itself; by default one in memory, to which others are attached. */
  readonly file?: string;
  readonly config?: Readonly<Record<string, string>>;
  /** Settings that may still be changed later. */
  readonly changeable?: readonly string[];
}

const closed = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
};

/** DuckDB knows a file that it holds by its path, size and about its time: of one that took the place of another it would give the rows of the one before. */
const uncached = { enable_external_file_cache: 'false' };

const list = (texts: readonly string[]) => `[${texts.map(literal).join(', ')}]`;

/**
 * Opens DuckDB for files that may come from anybody: whatever SQL is in them (views, macros) reaches only these folders, loads nothing,
 * and cannot change that. Every TIMESTAMP is UTC: without that, now()::TIMESTAMP gives the machine's own time.
 */
export async function openDuckDb({ folders, file, config, changeable = [] }: DuckDbOptions): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(file ?? ':memory:', { ...config, ...closed, ...uncached });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    const reachable = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
    const named = [...folders, ...reachable];
    await connection.run(`
      SET GLOBAL TimeZone = 'UTC';
      SET GLOBAL allowed_directories = ${list([...named, ...named.map(escapeGlob)])};
      SET GLOBAL enable_external_access = false;
      SET GLOBAL allowed_configs = ${list(changeable)};
      SET GLOBAL lock_configuration = true`);
  } catch (error) {
    close();
    throw error;
  }
  return {
    connection,
    connect: () => instance.connect(),
    transaction: (work) => inTransaction(connection, work),
    close,
  };
}

/** A folder may have a name that DuckDB would take for a pattern. */
export const escapeGlob = (path: string): string => path.replace(/[[*?]/g, (sign) => `[${sign}]`);
