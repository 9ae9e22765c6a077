import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../load/sqlFolder.ts';
import type { Model } from './model.ts';
import { parseModel } from './parseModel.ts';

/**
 * Every model of a folder, firn's own where none is named: a file's folder is its schema, its name the table's.
 *
 * @param shown how messages name the folder
 */
export async function readModels(folder: string = sqlFolder('models'), shown = 'sql/models'): Promise<Model[]> {
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
