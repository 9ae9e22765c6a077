import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../../load/packageFiles.ts';
import type { Model } from './model.ts';
import { parseModel } from './parseModel.ts';

let own: Promise<readonly Model[]> | undefined;

/**
 * Every model of a folder: a file's folder is its schema, its name the table's. firn's own, where no folder is named, are read once.
 *
 * @param shown how messages name the folder
 */
export function readModels(folder?: string, shown = folder ?? ''): Promise<readonly Model[]> {
  if (folder !== undefined) return readFiles(folder, shown);
  own ??= readFiles(sqlFolder('models'), 'sql/models');
  return own;
}

async function readFiles(folder: string, shown: string): Promise<Model[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file
        .replace(/\.sql$/, '')
        .replaceAll('\\', '/')
        .replace('/', '.');
      return parseModel(name, `${shown}/${file}`, await readFile(join(folder, file), 'utf8'));
    }),
  );
}
