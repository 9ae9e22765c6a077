import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError, hasCode, messageOf } from '../../core/firnError.ts';
import { listFolder } from '../../disk/listFolder.ts';
import { diskError } from '../diskError.ts';

/** Folders of a warehouse that firn writes to; what it writes lies directly in them, or in folders it makes there. */
const written = ['.state', 'lake'];

/**
 * A link inside a warehouse may lead anywhere: whoever made the folder would decide what this user's firn overwrites.
 * (The warehouse folder itself may be one.)
 *
 * @throws FirnError `config` naming the link · `disk` where a folder may not be read
 */
export async function refuseLinks(folder: string): Promise<void> {
  for (const name of written) {
    await refuseLink(join(folder, name));
    const entries = await listFolder(join(folder, name)).catch((error: unknown) => {
      throw diskError(error, `read ${join(folder, name)}`);
    });
    for (const entry of entries) if (entry.isSymbolicLink()) throw linkError(join(folder, name, entry.name));
  }
}

/** Why no run can begin where there is a link; null where none is seen. */
export async function linkInside(folder: string): Promise<string | null> {
  return refuseLinks(folder).then(
    () => null,
    (error: unknown) => (hasCode(error, 'config') ? messageOf(error) : null),
  );
}

/** @throws FirnError `config` where the path is a symbolic link */
export async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) throw linkError(path);
}

const linkError = (path: string) =>
  new FirnError(
    'config',
    `${path} is a symbolic link, and firn does not write through links inside a warehouse. Put what it leads to in its place, or make the whole warehouse folder the link.`,
  );
