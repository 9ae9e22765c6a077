import { stat } from 'node:fs/promises';
import type { DuckDBValue } from '@duckdb/node-api';
import { FirnError } from '../core/firnError.ts';
import { diskError } from '../load/diskError.ts';
import { type DuckDb, openDuckDb } from '../load/openDuckDb.ts';
import { plainRow } from '../load/transaction.ts';
import { harmOfReader } from './harmOf.ts';
import { readCurrent } from './manifest.ts';
import { openInPlace } from './openInPlace.ts';
import { countOwnReader } from './openReaders.ts';
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
 * @throws FirnError `not_found` when nothing was published yet · `failed` where what was published is gone · `disk` where it may not be read
 */
export async function openReader(folder: string): Promise<Reader> {
  const path = ownReaderFile(folder);
  if (!(await isThere(path))) throw await missing(folder, path);
  const { connection, close, version } = await open(folder, path).catch(async (error: unknown) => {
    throw await damageOf(error, folder, path);
  });
  countOwnReader(folder, version, 1);
  return {
    async query(sql, values) {
      try {
        const reader = await connection.runAndReadAll(sql, values as DuckDBValue[] | undefined);
        return reader.getRowObjects().map(plainRow) as never;
      } catch (error) {
        throw await damageOf(error, folder, path);
      }
    },
    close() {
      countOwnReader(folder, version, -1);
      close();
    },
  };
}

/** Only what is known to be missing is: a file behind a folder that may not be entered is there all the same. */
async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw diskError(error, `read ${path}`);
  }
}

/** Nothing published yet and a reader database that was removed are not the same: the first is no harm. */
const missing = async (folder: string, path: string): Promise<FirnError> =>
  (await readCurrent(folder))
    ? new FirnError('failed', `The reader database ${path} is missing; \`firn publish\` makes it again.`)
    : new FirnError(
        'not_found',
        `Nothing was published in ${folder} yet (${path} is missing). Run \`firn run\`, or \`firn publish\` after a sync.`,
      );

/** Where the views do not name this very folder, the file is rewritten, unless its root was set by hand. */
async function open(folder: string, path: string): Promise<DuckDb & { readonly version: number }> {
  const openHere = () => openInPlace(folder, (folders) => openReadOnly(path, folders));
  let opened = await openHere().catch(() => undefined);
  if (!opened?.isHere) {
    opened?.close();
    await repairReaderDatabase(folder);
    opened = await openHere();
  }
  if (opened.shown) return { ...opened, version: opened.shown.version };
  opened.close();
  throw new Error('It does not say which version it shows.');
}

const openReadOnly = (file: string, folders: readonly string[]): Promise<DuckDb> =>
  openDuckDb({ folders, file, config: { access_mode: 'READ_ONLY', memory_limit: '1GB' } });

/** How DuckDB says that a file which a view names is not there. */
const fileIsMissing = /No files found that match the pattern|Cannot open file .*No such file/;

/** The meaning of an error of reading: the file is damaged, where its bytes are not those that were published, or what its views read is missing; else the error itself. */
async function damageOf(error: unknown, folder: string, path: string): Promise<unknown> {
  if (error instanceof FirnError) return error;
  const said = error instanceof Error ? error.message.trim() : String(error);
  const harm = await harmOfReader(folder, path);
  if (harm !== undefined) {
    return new FirnError(
      'failed',
      `${path} is damaged: ${harm}, and it cannot be read (${said}). Run \`firn publish\`: it rewrites the file.`,
      { cause: error },
    );
  }
  if (!fileIsMissing.test(said)) return error;
  return new FirnError(
    'failed',
    `Files of the published version are missing (${said}). Run \`firn publish\`: it writes them again.`,
    { cause: error },
  );
}
