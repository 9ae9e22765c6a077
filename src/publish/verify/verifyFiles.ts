import { join } from 'node:path';
import { listFolder } from '../../disk/listFolder.ts';
import { versionOfFile } from '../files/writeUnit.ts';
import { harmOf } from '../harmOf.ts';
import { lakeFolder, type ManifestFile } from '../manifest.ts';
import { stopIfAborted } from '../stopIfAborted.ts';
import type { Failure, Watch } from './failure.ts';

/** Reads every file that a version names, whole, and compares size and hash. */
export async function verifyFiles(folder: string, files: readonly ManifestFile[], watch: Watch): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const [done, file] of files.entries()) {
    stopIfAborted(watch.signal, 'Verifying');
    watch.progress?.(done, files.length);
    const harm = await harmOf(join(lakeFolder(folder), file.path), file, true);
    if (!harm) continue;
    const message = `${harm.message}; \`firn publish --repair\` writes it again`;
    failures.push({ check: harm.missing ? 'missing' : 'changed', item: file.path, message });
  }
  watch.progress?.(files.length, files.length);
  return failures;
}

/**
 * Finds Parquet files in the lake that no version names: readers that read the folder by pattern would read them too. What a stopped
 * publish of a newer version left does not count: the next publish removes it. Nor do the files that systems keep beside others.
 */
export async function findForeign(
  folder: string,
  named: ReadonlySet<string>,
  newest: number,
  relative = '',
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const entry of await listFolder(join(lakeFolder(folder), relative))) {
    const path = relative ? `${relative}/${entry.name}` : entry.name;
    // Manifests, staging and the readers' own files.
    if (relative === '' && entry.name.startsWith('_')) continue;
    if (entry.isDirectory()) failures.push(...(await findForeign(folder, named, newest, path)));
    else if (entry.name.endsWith('.parquet') && !named.has(path) && (versionOfFile(entry.name) ?? 0) <= newest) {
      failures.push({ check: 'foreign', item: path, message: 'no published version names this file; remove it' });
    }
  }
  return failures;
}
