import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDb } from '../../load/database/openDuckDb.ts';
import { type ShownVersion, versionShownBy } from './readerVersion.ts';

/** A reader database that is open. */
export interface OpenedReader extends DuckDb {
  /** What it says of itself; undefined where it cannot tell. */
  readonly shown: ShownVersion | undefined;
  /** Whether its views name files of the folder that it was opened for. */
  readonly isHere: boolean;
}

/**
 * Opens the reader database of a warehouse: mostly its views name this very folder; where they name it by another path (a link, a mount), once
 * more for that path too. To open a small one takes longer than most queries.
 *
 * @param open opens it for files below these folders
 */
export async function openInPlace(
  folder: string,
  open: (folders: readonly string[]) => Promise<DuckDb>,
): Promise<OpenedReader> {
  const here = await realpath(folder);
  const opened = await open([folder]);
  const shown = await versionShownBy(opened.connection).catch(() => undefined);
  if (shown?.root === here) return { ...opened, shown, isHere: true };
  if (!shown || !(await leadsHere(shown.root, folder))) return { ...opened, shown, isHere: false };
  opened.close();
  return { ...(await open([folder, shown.root])), shown, isHere: true };
}

/** Whether a path leads to this warehouse, perhaps by another name (a link, a mount). */
export async function leadsHere(root: string, folder: string): Promise<boolean> {
  const manifestOf = (at: string) => stat(join(at, 'lake', '_manifest.json')).catch(() => undefined);
  const [there, here] = [await manifestOf(root), await manifestOf(folder)];
  return there !== undefined && here !== undefined && there.ino === here.ino && there.dev === here.dev;
}
