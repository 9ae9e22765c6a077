import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The lines of a file of the packed recording. */
export async function jsonLines<T>(name: string): Promise<T[]> {
  const file = join(import.meta.dirname, '..', '..', 'devnet', 'ledger', `${name}.jsonl.gz`);
  const text = gunzipSync(await readFile(file)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
