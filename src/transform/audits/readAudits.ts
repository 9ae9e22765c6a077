import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../../load/packageFiles.ts';
import { type Audit, parseAudit } from './parseAudit.ts';

let own: Promise<readonly Audit[]> | undefined;

/**
 * Every audit of a folder, and of those in it, by name. firn's own, where no folder is named, are read once.
 *
 * @param shown how messages name the folder
 */
export function readAudits(folder?: string, shown = folder ?? ''): Promise<readonly Audit[]> {
  if (folder !== undefined) return readFiles(folder, shown);
  own ??= readFiles(sqlFolder('audits'), 'sql/audits');
  return own;
}

async function readFiles(folder: string, shown: string): Promise<Audit[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => parseAudit(`${shown}/${file}`, await readFile(join(folder, file), 'utf8'))),
  );
}
