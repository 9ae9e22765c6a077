import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../load/sqlFolder.ts';
import { type Audit, parseAudit } from './parseAudit.ts';

/**
 * Every audit of a folder by name, firn's own where none is named.
 *
 * @param shown how messages name the folder
 */
export async function readAudits(folder: string = sqlFolder('audits'), shown = 'sql/audits'): Promise<Audit[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => parseAudit(`${shown}/${file}`, await readFile(join(folder, file), 'utf8'))),
  );
}
