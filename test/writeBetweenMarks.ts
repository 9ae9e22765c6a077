import { readFile, writeFile } from 'node:fs/promises';
import { FirnError } from '../src/core/firnError.ts';

/**
 * Puts a report where a document says that it stands: between `<!-- name -->` and `<!-- end of name -->`.
 *
 * @throws FirnError `usage` where the document has no such lines
 */
export async function writeBetweenMarks(file: string, name: string, report: string): Promise<void> {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || after < before) throw new FirnError('usage', `${file} has no lines ${begin} and ${end}.`);
  await writeFile(file, `${text.slice(0, before + begin.length)}\n\n${report}\n\n${text.slice(after)}`);
}
