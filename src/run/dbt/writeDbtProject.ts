import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { listFolder } from '../../disk/listFolder.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { diskError } from '../../load/diskError.ts';
import { publishedMacros, publishedTables } from '../../publish/files/publishedTables.ts';
import type { Reader } from '../../publish/reader/openReader.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { modelReferences } from '../../transform/models/modelReferences.ts';
import { dbtFiles, generatedMark } from './dbtFiles.ts';
import { readNotebooks } from './readNotebooks.ts';

/** The project that was written. */
export interface DbtProject {
  readonly folder: string;
  readonly sources: number;
  readonly tests: number;
  readonly exposures: number;
  /** Audits without a test: what they read is not published. */
  readonly leftOut: readonly string[];
  /** Files that were there already and stay as they are: they belong to the user. */
  readonly kept: readonly string[];
}

/** What a project is written for. */
export interface DbtOptions {
  readonly reader: Reader;
  /** Path of the reader database, as dbt will see it. */
  readonly database: string;
  /** firn's own, and those of `extend`. */
  readonly audits: readonly Audit[];
  /** Folder of the notebooks of `extend`, where there is one. */
  readonly notebooks?: string | undefined;
}

/**
 * Writes a dbt project over what is published. What it wrote before is replaced; the project, the profile and the first model are the
 * user's as soon as they are there, and so is what was generated once its mark is gone.
 *
 * @throws FirnError `disk` where the folder cannot be written
 */
export async function writeDbtProject(
  folder: string,
  { reader, database, audits, notebooks: own }: DbtOptions,
): Promise<DbtProject> {
  const tables = await publishedTables(reader);
  const references = await modelReferences(reader, audits);
  const found = [...(await readNotebooks(reader)), ...(own ? await readNotebooks(reader, own) : [])];
  // dbt takes a name once: a copy that was changed takes the place of firn's.
  const notebooks = [...new Map(found.map((notebook) => [notebook.name, notebook])).values()];
  const readable = audits.flatMap((audit) => {
    const names = references.get(audit.name);
    return names === undefined || names instanceof FirnError ? [] : [{ ...audit, reads: names.relations }];
  });
  const macros = (await publishedMacros(reader)).map(({ name }) => name);
  const { own: yours, generated } = dbtFiles({ database, tables, macros, audits: readable, notebooks });
  const kept: string[] = [];
  try {
    for (const part of ['models/firn', 'tests/firn']) await removeGenerated(join(folder, part));
    for (const [path, text] of Object.entries({ ...generated, ...yours }))
      if (!(await writeNew(join(folder, path), text))) kept.push(path);
  } catch (error) {
    throw diskError(error, `write the dbt project ${folder}`, 'firn dbt-project <folder>');
  }
  const tested = audits.filter(({ name }) => `tests/firn/${name}.sql` in generated);
  return {
    folder,
    sources: tables.length,
    tests: tested.length,
    exposures: notebooks.length,
    leftOut: audits.filter((audit) => !tested.includes(audit)).map(({ name }) => name),
    kept,
  };
}

/** Files of an earlier run whose table or audit may be gone. Those that do not carry the mark are not ours. */
async function removeGenerated(folder: string): Promise<void> {
  for (const { name } of await listFolder(folder)) {
    const path = join(folder, name);
    if ((await readFile(path, 'utf8').catch(() => '')).split('\n')[0]?.includes(generatedMark)) await rm(path);
  }
}

/** @returns false where the file is there already */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // What is there counts as the user's own.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}
