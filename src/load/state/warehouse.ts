import { existsSync } from 'node:fs';
import { chmod, link, realpath, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Table } from '../../core/columns/table.ts';
import { literal } from '../../core/text/sqlText.ts';
import { syncFolder } from '../../disk/durable.ts';
import { type DuckDb, openDuckDb } from '../database/openDuckDb.ts';
import { removeDatabase } from '../database/removeDatabase.ts';
import { checkpointThreshold } from '../database/sharedTransaction.ts';
import { createWriter, type Writer } from '../database/writer.ts';
import { diskError } from '../diskError.ts';
import { backUpState, removeHalfMade } from './backUpState.ts';
import { cutTornLog } from './cutTornLog.ts';
import { ensureTables } from './ensureTables.ts';
import { heldBy, holdWarehouse } from './holdWarehouse.ts';
import { makeStateFolder } from './makeStateFolder.ts';
import { migrate, readVersions } from './migrate.ts';
import { openError } from './openError.ts';
import { ownProcess } from './processFacts.ts';
import { refuseLinks } from './refuseLinks.ts';
import { stateFile } from './stateFile.ts';

/** The open state of a warehouse: one instance, one writer, whose file lock is the run lock. */
export interface Warehouse extends Writer {
  /** The warehouse folder. */
  readonly folder: string;
  /** How much of a read makes a batch: bytes of answers, or milliseconds since its first one. Left out where a batch costs next to nothing. */
  readonly gathers?: { readonly bytes: number; readonly ms: number } | undefined;
}

export interface OpenOptions {
  /** The warehouse folder; made when it is missing. */
  readonly folder: string;
  /** Raw tables that must exist. */
  readonly tables: readonly Table[];
  /** DuckDB's memory_limit. */
  readonly memoryLimit?: string;
  /** What `memory_limit` becomes, one after the other, each time a batch of a read did not fit. */
  readonly roomierLimits?: readonly string[];
  /** DuckDB's threads; by default one per core. */
  readonly threads?: number;
  /** Told which copy is kept: of the state before a newer firn changed its schema, or of a log that power loss has torn. */
  readonly onCopy?: (sentence: string) => void;
}

/** The states that this process has open: a file lock keeps out other processes alone, and two writers would ruin the file. */
const openHere = new Set<string>();

/**
 * Opens the state database of a warehouse and brings its schema up to date.
 *
 * @throws FirnError `locked` with the process that holds it, `newer_warehouse`, `disk`
 */
export async function openWarehouse(options: OpenOptions): Promise<Warehouse> {
  const file = stateFile(options.folder);
  const state = dirname(file);
  await refuseLinks(options.folder);
  try {
    await makeStateFolder(options.folder);
  } catch (error) {
    throw diskError(error, `make the folder ${state}`);
  }
  const place = await realpath(state);
  if (openHere.has(place)) throw await heldBy(options.folder, await ownProcess());
  openHere.add(place);
  let release = () => {};
  const letGo = () => {
    openHere.delete(place);
    release();
  };
  try {
    release = await holdWarehouse(options.folder).catch((error: unknown) => {
      throw diskError(error, `write ${state}`);
    });
    return await openHeld(file, options, letGo);
  } catch (error) {
    letGo();
    throw error;
  }
}

async function openHeld(file: string, options: OpenOptions, release: () => void): Promise<Warehouse> {
  const { connection, connect, close } = await openInstance(file, options).catch(async (error: unknown) => {
    throw await openError(error, file);
  });
  try {
    await removeHalfMade(file);
    const isNew = !existsSync(file) && (await createDatabase(connection, file, options.tables));
    await attach(connection, file, options.onCopy);
    if (!isNew) await bringUpToDate(connection, file, options);
  } catch (error) {
    close();
    throw diskError(error, `open ${file}`);
  }
  const writer = createWriter(connection, options.roomierLimits, async () => {
    // Its own connection does nothing in a database that has ended, not even leave it.
    const other = await connect();
    try {
      await other.run(`DETACH state; ${attachingNow(file)}`);
    } finally {
      other.closeSync();
    }
  });
  return {
    ...writer,
    folder: options.folder,
    close: () =>
      writer.close(() => {
        close();
        release();
      }),
  };
}

async function bringUpToDate(connection: DuckDBConnection, file: string, { tables, onCopy }: OpenOptions) {
  // DuckDB appends nothing to a table of which it changed a column while its last row group is larger than is usual: it ends the database.
  const versions = await readVersions(connection);
  const hasLargerGroups = versions.first <= lastOfLargerGroups;
  const attaching = hasLargerGroups ? attachingAsBefore : attachingNow;
  if (hasLargerGroups) await connection.run(`${detaching}; ${attaching(file)}`);
  const before = async (version: number) => {
    // What a killed run left in the write-ahead log belongs in the copy, too. The file is let go of meanwhile: to close a copied file gives
    // up every lock that the process has on it.
    await connection.run(detaching).catch((error: unknown) => {
      throw diskError(error, 'write the warehouse');
    });
    const backup = await backUpState(file, version);
    await connection.run(attaching(file));
    onCopy?.(`This version of firn changes the schema of the state. A copy of the state as it was is kept: ${backup}`);
  };
  await migrate(connection, file, before, versions);
  await ensureTables(connection, tables);
  if (hasLargerGroups) await connection.run(`${detaching}; ${attachingNow(file)}`);
}

/**
 * Makes the database. A kill in the first writes leaves a file that nobody can open: it is made under another name and renamed.
 *
 * @returns false where another run was quicker, and its database stays
 */
async function createDatabase(connection: DuckDBConnection, file: string, tables: readonly Table[]): Promise<boolean> {
  const fresh = `${file}.new-${process.pid}`;
  try {
    await connection.run(attachingNow(fresh));
    await migrate(connection, fresh);
    await ensureTables(connection, tables);
    await connection.run(detaching);
    await chmod(fresh, 0o600);
    const isNamed = await nameOnce(fresh, file);
    await syncFolder(dirname(file));
    return isNamed;
  } catch (error) {
    throw diskError(error, `create ${file}`);
  } finally {
    await removeDatabase(fresh);
  }
}

/** Gives a file its name unless that is taken. */
async function nameOnce(fresh: string, file: string): Promise<boolean> {
  try {
    await link(fresh, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    // A file system without hard links.
    if (existsSync(file)) return false;
    await rename(fresh, file);
  }
  return true;
}

/**
 * The storage format of the DuckDB in use, not of the oldest that could read it: its compression of text makes a state of 3.5 M logs a third as
 * large, and takes a third less CPU to write. An older file takes it on with what is written from then on.
 */
const storageVersion = 'v1.5.0';

/**
 * Rows that DuckDB compresses and writes at a time, a quarter of what is usual. A commit writes the rows at the end of each table anew until
 * there are so many: 10 M transactions take 65 s in place of 85 and a state of 0.74 GB in place of 1.03. A load that is one commit leaves a
 * state a fifth larger. An older state takes it on with what is written from then on.
 */
const rowGroupRows = 30_720;

/** How files of the state are made. */
export const stateStorage = `STORAGE_VERSION ${literal(storageVersion)}, ROW_GROUP_SIZE ${rowGroupRows}`;

/** The file is attached under the name `state`: as the main database it would be called `firn`, which is a schema's name too. */
const attachingNow = (file: string) => `ATTACH ${literal(file)} AS state (${stateStorage}); USE state;`;

/** The last version that made a state with row groups of the usual size. */
const lastOfLargerGroups = 125;
const attachingAsBefore = (file: string) =>
  `ATTACH ${literal(file)} AS state (STORAGE_VERSION ${literal(storageVersion)}); USE state;`;

/** All that was written is in the file then, and it is let go of. */
const detaching = 'CHECKPOINT state; USE memory; DETACH state';

const openInstance = (file: string, { folder, memoryLimit = '1GB', threads }: OpenOptions): Promise<DuckDb> =>
  openDuckDb({
    folders: [folder],
    config: {
      memory_limit: memoryLimit,
      temp_directory: `${file}.tmp`,
      checkpoint_threshold: checkpointThreshold,
      preserve_insertion_order: 'true',
      // Five that wait would not stay in the memory of a sync, and be compressed twice.
      write_buffer_row_group_count: '1',
      ...(threads && { threads: String(threads) }),
    },
    changeable: ['memory_limit', 'threads', 'checkpoint_threshold'],
  });

async function attach(connection: DuckDBConnection, file: string, onCopy: OpenOptions['onCopy']): Promise<void> {
  try {
    await connection.run(attachingNow(file)).catch(async (error: unknown) => {
      const torn = await cutTornLog(file, error);
      if (torn === undefined) throw error;
      onCopy?.(
        `The power went while the warehouse was written. The end of its log, which never reached the disk and was no commit, was cut off; the whole log is kept: ${torn}`,
      );
      await connection.run(attachingNow(file));
    });
  } catch (error) {
    throw await openError(error, file);
  }
}
