import { existsSync } from 'node:fs';
import { FirnError } from '../../core/firnError.ts';
import { stateFile } from './stateFile.ts';

/**
 * The state is written wherever its file was moved to; what follows would begin anew in its old place.
 *
 * @throws FirnError `disk` where the state that is open does not lie in its folder any more
 */
export function refuseMoved(folder: string): void {
  if (existsSync(stateFile(folder))) return;
  throw new FirnError(
    'disk',
    `${folder} is not there any more, or its state is not: it was moved or removed while this run had it open, and what was read went with it. Move it back, or name its new place as warehouse, and run again.`,
  );
}
