import { FirnError, messageOf } from '../core/firnError.ts';
import { oneLine } from '../core/text/oneLine.ts';

/** Where a statement is: its file, and the line on which it begins. */
export interface SqlPlace {
  /** As messages name it: `sql/audits/assert_utxos_unique.sql`, below the package. */
  readonly file: string;
  readonly line: number;
}

/**
 * DuckDB's error with the file and line that it concerns: DuckDB counts from the statement's first line, and where it names none, the
 * statement is all that is known. Errors that are understood already (disk, memory) stay as they are.
 */
export function sqlError({ file, line }: SqlPlace, error: unknown): FirnError {
  if (error instanceof FirnError) return error;
  const message = messageOf(error);
  const [, at] = /^LINE (\d+):/m.exec(message) ?? [];
  const [what = ''] = message.split(/\n\s*\nLINE \d+:/);
  const place = at === undefined ? line : line + Number(at) - 1;
  return new FirnError('failed', `${file}:${place}: ${oneLine(what.trim())}`, { cause: error });
}
