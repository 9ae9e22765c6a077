import { FirnError } from '../core/firnError.ts';

/**
 * A package that only a cluster needs: firn does not bring it.
 *
 * @throws FirnError `config` with the line that installs it
 */
export async function loadOptional<T>(name: string, version: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(name)) throw error;
    throw new FirnError(
      'config',
      `The configuration names a cluster, which needs the package ${name}, and it is not installed. Run: npm install ${name}@${version}`,
      { cause: error },
    );
  }
}
