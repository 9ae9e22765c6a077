import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/**
 * Reads one gzipped file of JSON lines and hands every line, with its position from 0, to `read`. An absent file has no lines.
 * Throws an Error that names the file, and the line where `read` failed.
 */
export async function readGzLines<T>(
  dir: string,
  name: string,
  read: (line: string, position: number) => T,
): Promise<T[]> {
  const file = join(dir, name);
  if (!existsSync(file)) return [];
  let bytes: Buffer;
  try {
    bytes = await unzip(await readFile(file));
  } catch (cause) {
    throw new Error(`${file}: not a whole gzip file (${message(cause)})`, { cause });
  }
  const items: T[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const text = bytes.toString('utf8', start, end);
    start = end + 1;
    if (text.trim() === '') continue;
    try {
      items.push(read(text, items.length));
    } catch (cause) {
      throw new Error(`${file}, line ${line}: ${message(cause)}`, { cause });
    }
  }
  return items;
}

function message(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
