import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../load/sqlFolder.ts';
import { type Audit, parseAudit } from './parseAudit.ts';

/** Every audit of `sql/audits`, by name. */
export async function readAudits(folder: string = sqlFolder('audits')): Promise<Audit[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(files.map(async (file) => parseAudit(file, await readFile(join(folder, file), 'utf8'))));
}
