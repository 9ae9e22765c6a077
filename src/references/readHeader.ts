import { open } from 'node:fs/promises';
import { FirnError } from '../core/firnError.ts';
import { snakeCase } from '../core/text/snakeCase.ts';
import { parseCsv } from '../decode/csv.ts';

/** What the first line of a CSV says. */
export interface CsvHeader {
  readonly delimiter: string;
  /** Column names, in snake_case. */
  readonly names: readonly string[];
}

const delimiters = [',', ';', '\t', '|'];
const longestHeader = 65_536;

/**
 * Reads the first line of a CSV: the names of its columns, which must be there.
 *
 * @throws FirnError `contract` for a file without a header line, that is not in UTF-8, with a first line of more than 64 KiB, or with names that are missing or come twice
 */
export async function readHeader(file: string): Promise<CsvHeader> {
  const handle = await open(file, 'r');
  let text: string;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestHeader), 0, longestHeader, 0);
    text = buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
  const [line = '', rest] = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, 2);
  if (rest === undefined && text.length >= longestHeader)
    throw new FirnError(
      'contract',
      `its first line is longer than ${longestHeader} bytes, and should name the columns`,
    );
  // Excel writes UTF-16 as "Unicode Text", and a code page of its own as plain CSV.
  if (/[\0\uFFFD]/.test(line)) throw new FirnError('contract', 'it is not in UTF-8; save it as "CSV UTF-8"');
  const unquoted = line.replace(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
  const [cells = ['']] = parseCsv(line, delimiter);
  const names = cells.map(columnName);
  const unnamed = names.indexOf('');
  if (unnamed >= 0)
    throw new FirnError(
      'contract',
      `column ${unnamed + 1} has no name with a letter a–z or a digit; the first line must name every column`,
    );
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new FirnError('contract', `two columns are called ${twice}; rename one of them`);
  return { delimiter, names };
}

/** `Price (USD)`, `priceUsd` and `price-usd` are all `price_usd`; empty where nothing is left. */
export function columnName(text: string): string {
  const name = snakeCase(text.trim().replace(/[^0-9A-Za-z]+/g, '_'))
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '');
  return /^\d/.test(name) ? `_${name}` : name;
}
