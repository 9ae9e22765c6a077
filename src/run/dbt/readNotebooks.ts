import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError, messageOf } from '../../core/firnError.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { sqlFolder } from '../../load/packageFiles.ts';
import { modelReferences } from '../../transform/models/modelReferences.ts';
import type { NotebookFacts } from './dbtFiles.ts';

/** A cell's text is one string, or its lines. */
interface Notebook {
  readonly cells: readonly { readonly source: string | readonly string[] }[];
}

/**
 * The notebooks of `sql/notebooks` with their titles and what their SQL reads, by name.
 *
 * @throws FirnError `config` for a file that is no notebook
 */
export async function readNotebooks(
  parser: Pick<Statements, 'query'>,
  folder: string = sqlFolder('notebooks'),
): Promise<NotebookFacts[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ipynb')).sort();
  return Promise.all(
    files.map(async (file) => {
      const texts = textsOf(await readFile(join(folder, file), 'utf8'), join(folder, file));
      const [heading = '', ...rest] = (texts[0] ?? '').split('\n');
      const statements = texts.flatMap(sqlOf).map((sql, i) => ({ name: String(i), sql, file, line: 1 }));
      const found = [...(await modelReferences(parser, statements)).values()];
      return {
        name: file.replace('.ipynb', ''),
        title: heading.replace(/^# /, ''),
        description: rest.join('\n').trim().split('\n\n')[0] ?? '',
        reads: [...new Set(found.flatMap((names) => (names instanceof FirnError ? [] : names.relations)))].sort(),
      };
    }),
  );
}

/** The SQL of a cell: all of a SQL cell; of Python the texts that are given to `db.sql(…)` and `db.execute(…)`. */
function sqlOf(cell: string): string[] {
  const whole = /^%%sql\b.*\n([\s\S]*)$/.exec(cell)?.[1];
  if (whole !== undefined) return [whole];
  return [...cell.matchAll(/\.(?:sql|execute)\(\s*("""|'''|["'])([\s\S]*?)\1/g)].map(([, , sql = '']) => sql);
}

/** The texts of the cells. */
function textsOf(content: string, file: string): string[] {
  try {
    const { cells } = JSON.parse(content) as Notebook;
    return cells.map(({ source }) => [source].flat().join(''));
  } catch (error) {
    const reason = `${file} is no notebook (${messageOf(error)}). Save it in Jupyter again, or remove it.`;
    throw new FirnError('config', reason, { cause: error });
  }
}
