import { realpath, stat } from 'node:fs/promises';
import type { DuckDBValue } from '@duckdb/node-api';
import { FirnError } from '../core/firnError.ts';
import { diskError } from '../load/diskError.ts';
import { type DuckDb, openDuckDb } from '../load/openDuckDb.ts';
import { plainRow } from '../load/transaction.ts';
import { harmOfReader } from './harmOf.ts';
import { readCurrent } from './manifest.ts';
import { countOwnReader } from './openReaders.ts';
import { ownReaderFile } from './readerPaths.ts';
import { shownVersion, versionShownBy } from './readerVersion.ts';
import { leadsHere, repairReaderDatabase } from './repairReaderDatabase.ts';

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

type OpenedReader = DuckDb & { readonly version: number };

/** Mostly the views name this very folder; where they do not, the file is rewritten or names the folder in another way. */
async function open(folder: string, path: string): Promise<OpenedReader> {
  const inPlace = await openInPlace(folder, path).catch(() => undefined);
  if (inPlace) return inPlace;
  await repairReaderDatabase(folder);
  const shown = await shownVersion(path);
  if (!shown) throw new Error('It does not say which version it shows.');
  // The same folder may be known by another name: a link, a mount.
  const folders = (await leadsHere(shown.root, folder)) ? [folder, shown.root] : [folder];
  return { ...(await openReadOnly(path, folders)), version: shown.version };
}

/** A reader database whose views name files of this folder by its own path; undefined where they do not. To open a small one takes longer than most queries. */
async function openInPlace(folder: string, path: string): Promise<OpenedReader | undefined> {
  const here = await realpath(folder);
  const opened = await openReadOnly(path, [folder]);
  const shown = await versionShownBy(opened.connection).catch(() => undefined);
  if (shown?.root === here) return { ...opened, version: shown.version };
  opened.close();
  return undefined;
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
