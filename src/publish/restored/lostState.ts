import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { stateFile } from '../../load/state/stateFile.ts';
import type { PublishSource } from '../files/publishSource.ts';
import { newestManifest, readCurrent } from '../manifest.ts';

/** Whether there is no state; false where that is not known. */
const isMissing = async (warehouse: string): Promise<boolean> =>
  (await access(stateFile(warehouse)).catch(({ code }: NodeJS.ErrnoException) => code)) === 'ENOENT';

/**
 * An empty state, made where the name of a folder is mistyped, would have nothing to tell: neither a record in quarantine nor a difference.
 *
 * @throws FirnError `not_found` where there is no state, and nothing published of one that was lost
 */
export async function refuseUnread(warehouse: string): Promise<void> {
  if (!(await isMissing(warehouse)) || (await readCurrent(warehouse).catch(() => true))) return;
  throw new FirnError(
    'not_found',
    `Nothing was read into ${warehouse} yet (${stateFile(warehouse)} is missing). Run \`firn run\`, or name the right folder with --warehouse.`,
  );
}

/** What to do about a state that is gone under a published version, as a sentence; null where it is there, or where that is not known. */
export async function lostState(warehouse: string): Promise<string | null> {
  if (!(await isMissing(warehouse)) || !(await readCurrent(warehouse).catch(() => undefined))) return null;
  const lost = lostText(warehouse, 'it is missing, and a version is published.');
  return (await mayBeCopy(warehouse))
    ? `${lost} If this is a copy of what was published, there to be read, nothing is wrong.`
    : lost;
}

/** @throws FirnError `disk` where the state is gone under a published version */
export async function refuseLost(warehouse: string): Promise<void> {
  const lost = await lostState(warehouse);
  if (lost !== null) throw new FirnError('disk', lost);
}

/** Whether nothing tells that a state was ever here: what is published may have been copied, to be read. */
export async function mayBeCopy(warehouse: string): Promise<boolean> {
  const names = await readdir(join(warehouse, '.state')).catch(() => []);
  return names.every((name) => name.startsWith('reader-'));
}

/**
 * A state without any load, under a version with rows, is one that was lost: loads stay even where all that they brought is dropped. It
 * would make an empty version in place of the good one.
 *
 * @throws FirnError `failed`
 */
export async function refuseLostState({ folder, query }: Pick<PublishSource, 'folder' | 'query'>): Promise<void> {
  const [load] = await query('SELECT 1 FROM firn.load LIMIT 1');
  if (load) return;
  const { before } = await newestManifest(folder);
  const read = before?.tables.filter(({ schema }) => schema === 'raw') ?? [];
  const rows = read.reduce((sum, table) => sum + table.rows, 0);
  if (!before || rows === 0) return;
  const how = `it holds nothing that was read, and version ${before.version} shows ${rows} rows of it. Nothing was published; that version stays.`;
  throw new FirnError('failed', lostText(folder, how));
}

const lostText = (warehouse: string, how: string) =>
  `The state ${stateFile(warehouse)} was lost: ${how} Restore .state from a backup, or run "firn run", which reads everything again.`;
