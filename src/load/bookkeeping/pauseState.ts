import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AskedPause } from '../../core/requests/askedPause.ts';
import { replaceShared } from '../../disk/durable.ts';
import { diskError } from '../diskError.ts';
import { makeStateFolder } from '../state/makeStateFolder.ts';

/**
 * The pauses that origins ask for, in `.state/pauses`: one small file for each origin of a source. Not in the database, which other work
 * may hold when a server asks.
 */
export interface PauseState {
  read(source: string, origin: string): Promise<AskedPause | undefined>;
  /** Ends when the pause is on the disk. */
  keep(source: string, origin: string, pause: AskedPause): Promise<void>;
}

/** @param folder of the warehouse */
export function pauseState(folder: string): PauseState {
  const fileOf = (source: string, origin: string) =>
    join(folder, '.state', 'pauses', `${source}-${encodeURIComponent(origin)}.json`);
  return {
    async read(source, origin) {
      try {
        const { saidAt, until } = JSON.parse(await readFile(fileOf(source, origin), 'utf8')) as Record<string, string>;
        const pause = { saidAt: Date.parse(saidAt ?? ''), until: Date.parse(until ?? '') };
        return Number.isNaN(pause.saidAt + pause.until) ? undefined : pause;
      } catch {
        // None yet, or not one that can be read: the server will say it again.
        return undefined;
      }
    },
    async keep(source, origin, { saidAt, until }) {
      const file = fileOf(source, origin);
      const text = JSON.stringify({ saidAt: new Date(saidAt), until: new Date(until) });
      try {
        await makeStateFolder(folder);
        await replaceShared(file, `${text}\n`);
      } catch (error) {
        throw diskError(error, `write ${file}`);
      }
    },
  };
}
