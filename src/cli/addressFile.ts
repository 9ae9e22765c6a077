import { readFileSync } from 'node:fs';
import { FirnError } from '../core/firnError.ts';

/**
 * Reads addresses from a CSV or text file: the first column of every line; a header line, blank lines and lines that begin
 * with # do not count.
 *
 * @throws FirnError `config`
 */
export function readAddressFile(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new FirnError('config', `Could not read the addresses in ${file}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const cells = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(
      (line) =>
        line
          .split(/[,;\t]/)[0]
          ?.trim()
          .replace(/^"(.*)"$/, '$1') ?? '',
    )
    .filter((cell) => cell !== '' && !cell.startsWith('#'));
  const addresses = cells.filter((cell, index) => index > 0 || /\d/.test(cell));
  if (addresses.length > 0) return [...new Set(addresses)];
  throw new FirnError('config', `${file} holds no addresses. Write one a line, the address in the first column.`);
}
