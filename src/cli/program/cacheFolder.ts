import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder of this user for compiled code, which may be lost at any time.
 *
 * @returns null without a home, as a user of a container who has no name
 */
export function cacheFolder(): string | null {
  const { XDG_CACHE_HOME: named = '' } = process.env;
  if (isAbsolute(named)) return join(named, 'firn', 'compiled');
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, '.cache', 'firn', 'compiled') : null;
  } catch {
    return null;
  }
}
