import { readFileSync } from 'node:fs';
import { FirnError } from '../../core/firnError.ts';
import { emptyText } from '../../core/input/emptyText.ts';
import { parseCsv } from '../../decode/csv.ts';
import type { AddressLabel } from '../../load/bookkeeping/keepLabels.ts';

export interface AddressFile {
  readonly addresses: readonly string[];
  /** Names that the file gives to addresses; an address stands bare and in lower case, as rows have it. */
  readonly labels: readonly AddressLabel[];
  /** Where one of the addresses stands, as `file:line`. */
  placeOf(address: string): string;
}

/**
 * Reads addresses from a CSV or text file: the column `address`, else the first, and in the column `label` or `name`, else the
 * second, what to call them. A header, blank lines and lines that begin with # do not count; cells may stand in quotes.
 *
 * @throws FirnError `config`
 */
export function readAddressFile(file: string): AddressFile {
  const text = textOf(file);
  const rows = rowsOf(file, text).filter((row) => !row[0]?.startsWith('#') && row.some((cell) => cell !== ''));
  const header = /\d/.test(rows[0]?.[0] ?? '0') ? [] : (rows.shift() ?? []);
  const at = Math.max(
    0,
    header.findIndex((name) => /^address(es)?$/i.test(name)),
  );
  const named = header.findIndex((name, i) => i !== at && /^(label|name)$/i.test(name));
  const column = named < 0 && at === 0 ? 1 : named;
  const read = rows.map((row) => {
    const address = row[at] ?? '';
    if (emptyText(address))
      throw new FirnError(
        'config',
        `The row "${row.join(',')}" of ${file} has no address where one belongs. Add it, or remove the row.`,
      );
    return { address, label: row[column] };
  });
  const addresses = [...new Set(read.map(({ address }) => address))];
  if (addresses.length === 0)
    throw new FirnError(
      'config',
      `${file} holds no addresses. Write one per line, with the address in the first column, or in one that a header calls address.`,
    );
  const labels = read.flatMap(({ address, label }) =>
    label ? address.split(',').map((one) => ({ address: bare(one), label })) : [],
  );
  const placeOf = (address: string) =>
    `${file}:${text.split(/\r\n?|\n/).findIndex((line) => names(line, address)) + 1}`;
  return { addresses, labels, placeOf };
}

/** Whether an address stands in a line, and is no part of a longer one. */
function names(line: string, address: string): boolean {
  const [before = '', after] = line.split(address);
  return after !== undefined && !line.startsWith('#') && !/\w$/.test(before) && !/^\w/.test(after);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const known: Readonly<Record<string, string>> = {
      ENOENT: `There is no ${file}. Write the addresses into it, one per line, or name another file: its place is relative to the configuration.`,
      EISDIR: `${file} is a folder. Name the file in it that has the addresses.`,
    };
    throw new FirnError(
      'config',
      known[code ?? ''] ?? `Could not read the addresses in ${file}: ${message}. Give firn the right to read it.`,
      { cause: error },
    );
  }
}

/** The first comma, semicolon or tab outside of quotes and comments stands between cells. */
function rowsOf(file: string, whole: string): string[][] {
  const text = whole.replaceAll(/^#.*/gm, '');
  const delimiter = /[,;\t]/.exec(text.replaceAll(/"[^"]*"/g, ''))?.[0] ?? ',';
  try {
    return parseCsv(text, delimiter).map((row) => row.map((cell) => cell.trim()));
  } catch (error) {
    throw new FirnError('config', `Could not read the addresses in ${file}. ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const bare = (address: string) =>
  address
    .trim()
    .toLowerCase()
    .replace(/^[pxc]-/, '');
