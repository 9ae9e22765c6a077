import type { Stats } from 'node:fs';
import { type FileHandle, open as openFile, stat } from 'node:fs/promises';
import type { DuckDBValue } from '@duckdb/node-api';
import { FirnError, messageOf } from '../../core/firnError.ts';
import type { ToPaste } from '../../core/text/toPaste.ts';
import { type DuckDb, openDuckDb } from '../../load/database/openDuckDb.ts';
import { queryOf } from '../../load/database/transaction.ts';
import { diskError } from '../../load/diskError.ts';
import { harmOfReader } from '../harmOf.ts';
import { readCurrent } from '../manifest.ts';
import { heldForWriting } from './heldForWriting.ts';
import { openInPlace } from './openInPlace.ts';
import { countOwnReader } from './openReaders.ts';
import { ownReaderFile, readerFile } from './readerPaths.ts';
import { repairReaderDatabase } from './repairReaderDatabase.ts';

/** The published data, read-only. Never waits for a run, and stays on the version it was opened on. */
export interface Reader {
  /** Rows as plain objects: BIGINT as bigint, DECIMAL, TIMESTAMP, lists, structs and bytes as DuckDB's text (`to_json(list)`, `hex(bytes)` take them apart). */
  query<R extends object = Record<string, unknown>>(sql: string, values?: readonly DuckDBValue[]): Promise<R[]>;
  /** How a query is pasted; left out where `toPaste` of DuckDB's clients says it. */
  readonly toPaste?: ToPaste;
  /** What was asked before is answered. */
  close(): void;
}

/**
 * Opens the reader database of a warehouse; rewrites it first where the warehouse was moved.
 *
 * @throws FirnError `not_found` when nothing was published yet · `failed` where what was published is gone · `disk` where it may not be read ·
 *   `locked` where another program has it open for writing
 */
export async function openReader(folder: string): Promise<Reader> {
  const own = ownReaderFile(folder);
  const { path, opened, release } = await share(folder, own).catch(async (error: unknown) => {
    // A machine that may only read sees the warehouse by the path that `publish.root` names.
    if (own === readerFile(folder)) throw error;
    return share(folder, readerFile(folder)).catch(() => Promise.reject(error));
  });
  const connection = await opened.connect();
  const ask = queryOf(connection);
  countOwnReader(folder, opened.version, 1);
  let isOpen = true;
  let asked = 0;
  // A question that is under way would never end after its connection, nor would the process.
  const leave = () => {
    if (isOpen || asked > 0) return;
    countOwnReader(folder, opened.version, -1);
    connection.closeSync();
    release();
  };
  return {
    async query(sql, values) {
      if (!isOpen) throw new FirnError('usage', 'This version of the warehouse was closed. Open it again to ask it.');
      asked++;
      try {
        return await ask(sql, values);
      } catch (error) {
        throw await damageOf(error, folder, path, opened);
      } finally {
        asked--;
        leave();
      }
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      leave();
    },
  };
}

type Opened = DuckDb & { readonly version: number; readonly file: FileHandle; readonly identity: string };

/**
 * What this process has open, by file. A process that closes a file gives up all of its locks on it, and they are how a publish knows which
 * versions somebody reads: readers of one file share what is open, and the last one closes it.
 */
const shared = new Map<string, { readonly opened: Promise<Opened>; uses: number }>();

async function share(
  folder: string,
  path: string,
): Promise<{ readonly path: string; readonly opened: Opened; readonly release: () => void }> {
  const identity = await identityOf(path);
  if (identity === undefined) throw await missing(folder, path);
  const held = shared.get(identity) ?? { opened: open(folder, path), uses: 0 };
  shared.set(identity, held);
  held.uses++;
  const release = (opened?: Opened) => {
    if (--held.uses > 0) return;
    shared.delete(identity);
    opened?.close();
    void opened?.file.close();
  };
  try {
    const opened = await held.opened;
    return { path, opened, release: () => release(opened) };
  } catch (error) {
    release();
    throw await damageOf(error, folder, path);
  }
}

const inodeOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;

/** What tells a file from the one that takes its place. Only what is known to be missing is: one behind a folder that may not be entered is there. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    return inodeOf(await stat(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskError(error, `read ${path}`);
  }
}

/** Nothing published yet and a reader database that was removed are not the same: the first is no harm. */
const missing = async (folder: string, path: string): Promise<FirnError> =>
  (await readCurrent(folder))
    ? new FirnError('failed', `The reader database ${path} is missing; \`firn publish\` makes it again.`)
    : new FirnError(
        'not_found',
        `Nothing was published in ${folder} yet (${path} is missing). Run \`firn run\`, or \`firn publish\` after a sync; or name the folder in which the warehouse is.`,
      );

/** Where the views do not name this very folder, the file is rewritten, unless its root was set by hand. */
async function open(folder: string, path: string): Promise<Opened> {
  const openHere = () => openInPlace(folder, (folders) => openReadOnly(path, folders));
  let opened = await openHere().catch(() => undefined);
  if (!opened?.isHere) {
    opened?.close();
    await repairReaderDatabase(folder);
    opened = await openHere();
  }
  if (opened.shown) {
    const file = await openFile(path);
    return { ...opened, version: opened.shown.version, file, identity: inodeOf(await file.stat()) };
  }
  opened.close();
  throw new Error('It does not say which version it shows.');
}

const openReadOnly = (file: string, folders: readonly string[]): Promise<DuckDb> =>
  openDuckDb({ folders, file, config: { access_mode: 'READ_ONLY', memory_limit: '1GB' } });

/** How DuckDB says that a file which a view names is not there. */
const fileIsMissing = /No files found that match the pattern|Cannot open file .*No such file/;

/** What an error of reading means where files of the version are gone, and what helps; undefined where it is another one. */
export const missingFilesText = (said: string): string | undefined =>
  fileIsMissing.test(said)
    ? `Files of the published version are missing (${said}). Run \`firn publish\`: it writes them again.`
    : undefined;

/** The meaning of an error of reading: the file is damaged, where its bytes are not those that were published, or what its views read is missing; else the error itself. */
async function damageOf(error: unknown, folder: string, path: string, opened?: Opened): Promise<unknown> {
  if (error instanceof FirnError) return error;
  const said = messageOf(error).trim();
  const held = heldForWriting(error, path);
  if (held) return held;
  // What was published since says nothing of the file that is open.
  const isOld = opened !== undefined && (await identityOf(path)) !== opened.identity;
  const harm = isOld ? undefined : await harmOfReader(folder, opened?.file ?? path);
  if (harm !== undefined)
    return new FirnError(
      'failed',
      `${path} is damaged: ${harm}, and it cannot be read (${said}). Run \`firn publish\`: it rewrites the file.`,
      { cause: error },
    );
  const missing = missingFilesText(said);
  return missing === undefined ? error : new FirnError('failed', missing, { cause: error });
}
