import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../load/packageFiles.ts';

/**
 * Makes what reads every `.sql` file of a folder, and of those in it, in the order of their names. firn's own, where no folder is named, are
 * read once.
 *
 * @param name of firn's own folder below `sql`
 * @param parse takes the path of a file as messages name it, its text, and its path in the folder
 */
export function sqlFolderReader<T>(
  name: 'models' | 'audits',
  parse: (shown: string, text: string, path: string) => T,
): (folder?: string) => Promise<readonly T[]> {
  const readFiles = async (folder: string, shown: string) => {
    const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.sql')).sort();
    return Promise.all(
      paths.map(async (path) => parse(`${shown}/${path}`, await readFile(join(folder, path), 'utf8'), path)),
    );
  };
  let own: Promise<readonly T[]> | undefined;
  return (folder) => {
    if (folder !== undefined) return readFiles(folder, folder);
    own ??= readFiles(sqlFolder(name), `sql/${name}`);
    return own;
  };
}
