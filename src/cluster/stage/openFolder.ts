import { randomUUID } from 'node:crypto';
import { copyFile, link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FirnError } from '../../core/firnError.ts';
import { syncFile, syncFolder } from '../../disk/durable.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { sha256File } from '../../disk/sha256File.ts';
import type { Stage } from '../contract.ts';
import { fileName } from './fileName.ts';
import { changed, gone, taken, unseen } from './stageErrors.ts';

const unfinished = '.unfinished';

/** A stage in a folder. A file has its name once all of it is on the disk, and no name is given twice. */
export function openFolder(folder: string): Stage {
  const root = pathToFileURL(`${folder.replace(/\/+$/, '')}/`).href;
  let mark: string | undefined;
  /** A folder that is not mounted any more has its name still, and takes files that nobody finds once it is mounted again. */
  const assertMounted = async (...files: string[]) => {
    if (mark === undefined) return;
    for (const file of [join(folder, mark), ...files]) await stat(file).catch((error) => fail(error, 'find', file));
  };
  const fail = (error: unknown, what: string, path: string): never => {
    throw folderError(error, `${what} ${path}`, mark !== undefined);
  };
  return {
    root,
    async write(table, batch, file, rows) {
      const target = join(folder, fileName(table, batch));
      const [sha256, { size: bytes }] = [await sha256File(file), await stat(file)];
      await assertMounted();
      const isNew = await nameOnce(target, (staged) => copyFile(file, staged)).catch((error) =>
        fail(error, 'write', target),
      );
      await assertMounted(target);
      if (!isNew && (await sha256File(target)) !== sha256) throw taken(target);
      return { table, uri: pathToFileURL(target).href, rows, bytes, sha256 };
    },
    async fetch({ uri, sha256 }, path) {
      await copyFile(fileURLToPath(uri), path).catch(async (error) => {
        await assertMounted();
        if (error.code === 'ENOENT') throw gone(`Could not read ${uri}: ${error.message}.`, error);
        fail(error, 'read', uri);
      });
      if (sha256 !== undefined && (await sha256File(path)) !== sha256) throw changed(uri);
    },
    async remove(uris) {
      for (const uri of uris) await rm(fileURLToPath(uri), { force: true });
    },
    async *list() {
      const names = await readdir(folder, { recursive: true }).catch(() => []);
      for (const name of names) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        if (found?.isFile()) yield { uri: pathToFileURL(path).href, writtenAt: found.mtimeMs };
      }
    },
    read: (name) => readText(join(folder, name)),
    async claim(name, text) {
      const path = join(folder, name);
      const isNew = await nameOnce(path, (staged) => writeFile(staged, text)).catch((error) =>
        fail(error, 'write', path),
      );
      const claimed = await readText(path);
      if (claimed === undefined && !isNew) throw unseen(path);
      mark ??= name;
      return claimed ?? text;
    },
  };
}

/** Gives a file its name once all of it is on the disk; false where the name is taken. */
async function nameOnce(target: string, write: (staged: string) => Promise<void>): Promise<boolean> {
  const staged = join(dirname(target), `${randomUUID()}${unfinished}`);
  try {
    await makeFolder(dirname(target));
    await write(staged);
    await syncFile(staged);
    await link(staged, target);
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    // A folder that cannot be reached was reported already.
    await rm(staged, { force: true }).catch(() => {});
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw folderError(error, `read ${path}`);
  }
}

/** A folder that all machines see may fail in any way in which a network does. @param wasThere whether it served before: workers wait for it then */
const folderError = (error: unknown, what: string, wasThere = false) =>
  new FirnError(
    wasThere ? 'unavailable' : 'disk',
    `Could not ${what}: ${(error as Error).message}. Mend the folder that stage names, or its mount.${wasThere ? ' Nothing was committed of it: workers go on when it is back.' : ''}`,
    { cause: error, retryable: wasThere },
  );
