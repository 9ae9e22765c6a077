/** A `.sql` file: comment lines that say what it is, fields (`Name: value`) at their end, and one SELECT. */
export interface SqlFile {
  readonly description: string;
  /** Lines of each field that is there; a field goes on until the next one. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The SELECT alone, its lines as they stand in the file. */
  readonly sql: string;
  /** The line of the file on which the SELECT begins, from 1. */
  readonly line: number;
}

/** @param names the fields there may be: other lines with a colon are text */
export function parseSqlFile(text: string, names: readonly string[]): SqlFile {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const description: string[] = [];
  const fields = new Map<string, string[]>();
  let current = description;
  for (const line of lines.slice(0, end).map((comment) => comment.slice(2))) {
    const [, name = '', value = ''] = /^ ([A-Z][\w ]*):(?: (.*))?$/.exec(line) ?? [];
    if (!names.includes(name)) current.push(line);
    else {
      current = [value];
      fields.set(name, current);
    }
  }
  const body = lines.slice(end);
  const first = body.findIndex((line) => line.trim() !== '');
  return {
    description: unwrap(description),
    fields,
    sql: body.slice(first).join('\n').trim().replace(/\s*;$/, ''),
    line: end + first + 1,
  };
}

/** The text of lines that were wrapped. */
export const unwrap = (lines: readonly string[] = []): string => lines.join('\n').trim().replace(/\n\s*/g, ' ');
