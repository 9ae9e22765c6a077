import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../load/sqlFolder.ts';
import type { Model } from './model.ts';
import { parseModel } from './parseModel.ts';

const read = new Map<string, Promise<readonly Model[]>>();

/** Every model of a folder, firn's own where none is named, read once: a file's folder is its schema, its name the table's. */
export function readModels(folder: string = sqlFolder('models')): Promise<readonly Model[]> {
  const models = read.get(folder) ?? readFiles(folder);
  read.set(folder, models);
  return models;
}

async function readFiles(folder: string): Promise<Model[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file
        .replace(/\.sql$/, '')
        .replaceAll('\\', '/')
        .replace('/', '.');
      return parseModel(name, file, await readFile(join(folder, file), 'utf8'));
    }),
  );
}
