import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FirnError } from '../core/firnError.ts';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * The folder of the package, whether this file runs as source or built.
 *
 * @param from where this file lies
 * @throws FirnError `failed` where a bundler put it outside of the package
 */
export function packageRoot(from = here): string {
  let folder = from;
  while (!existsSync(join(folder, 'sql', 'schema'))) {
    const above = dirname(folder);
    if (above === folder)
      throw new FirnError(
        'failed',
        `firn finds none of its SQL at or above ${from}: a bundler put its code there. Have it leave the package firn-etl out (as "external"), and install the package beside the program.`,
      );
    folder = above;
  }
  return folder;
}

/** A folder of the package's `sql/`. */
export const sqlFolder = (
  name: 'schema' | 'models' | 'audits' | 'queries' | 'notebooks' | 'cluster' | 'trino',
): string => join(packageRoot(), 'sql', name);

/** Names of the numbered files of a schema, in their order: of the state's, or of a control database's. */
export const schemaFiles = async (schema: 'schema' | 'cluster'): Promise<readonly string[]> =>
  (await readdir(sqlFolder(schema))).filter((name) => /^\d+_.*\.sql$/.test(name)).sort();

/** The version that such a file brings a schema to; 0 for none. */
export const versionOf = (file = '0'): number => Number.parseInt(file, 10);

/**
 * A query of `sql/queries`.
 *
 * @param parts SQL that takes the place of `{name}`, where a parameter cannot stand
 */
export function querySql(name: string, parts: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(sqlFolder('queries'), `${name}.sql`), 'utf8');
  const sql = text.replace(/^(--.*\n)+/, '').trimEnd();
  return sql.replace(/\{(\w+)\}/g, (all, part: string) => parts[part] ?? all);
}

const packageJson = (): { version: string; engines: { node: string } } =>
  JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));

/** The version of this program. */
export const packageVersion = (): string => packageJson().version;

/** The versions of Node that this program runs on, such as `>=20.19`. */
export const wantedNode = (): string => packageJson().engines.node;

/** The built command line, for those that start it in a process of its own. */
export const mainFile = (): string => join(packageRoot(), 'dist', 'cli', 'main.js');
