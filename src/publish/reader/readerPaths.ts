import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** The reader database: what notebooks and BI tools open. */
export const readerFile = (folder: string): string => join(folder, 'analytics.duckdb');

/** The same with this machine's own paths, kept where readers see the warehouse by another path (`publish.root`). */
export const localReaderFile = (folder: string): string => join(folder, '.state', 'analytics.duckdb');

/** The reader database that works on this machine. */
export const ownReaderFile = (folder: string): string =>
  existsSync(localReaderFile(folder)) ? localReaderFile(folder) : readerFile(folder);

/** A reader database to be made: where, and the path of the warehouse that its views name. */
export interface ReaderTarget {
  readonly file: string;
  readonly root: string;
  /** Whether the configuration sets the root: then it need not lead here. */
  readonly isSet: boolean;
}

/** The reader databases that a publish makes. */
export async function readerTargets(folder: string, root: string | undefined): Promise<readonly ReaderTarget[]> {
  const own = { root: await realpath(folder), isSet: false };
  if (root === undefined || root === own.root) return [{ file: readerFile(folder), ...own }];
  return [
    { file: readerFile(folder), root, isSet: true },
    { file: localReaderFile(folder), ...own },
  ];
}
