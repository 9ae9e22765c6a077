import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { FirnError, hasCode, messageOf } from '../core/firnError.ts';
import { identifier, literal } from '../core/text/sqlText.ts';
import { listFolder } from '../disk/listFolder.ts';
import { sha256File } from '../disk/sha256File.ts';
import { escapeGlob } from '../load/database/openDuckDb.ts';
import type { PublishSource } from '../publish/files/publishSource.ts';
import { factsOf, factsSql, valueSql } from './columnTypes.ts';
import { columnName, readHeader } from './readHeader.ts';
import { refuseLongLines } from './refuseLongLines.ts';

/** A CSV of the folder `refs` that could not become a table. */
export interface ReferenceProblem {
  readonly file: string;
  /** The message for people. */
  readonly message: string;
}

/** The folder of the user's own CSV files. */
const referenceFolder = (folder: string): string => join(folder, 'refs');

/** What lies in that folder and is to become a table, in order. */
async function listReferences(folder: string): Promise<Dirent[]> {
  const entries = await listFolder(folder);
  return entries
    .filter((entry) => !entry.isDirectory() && /\.csv$/i.test(entry.name) && !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a warehouse has tables of the user's own, which may be published alone. */
export const hasReferences = async (folder: string): Promise<boolean> =>
  (await listReferences(referenceFolder(folder))).length > 0;

type Known = { name: string; file: string; sha256: string | null };

/**
 * Makes a table of the schema `refs` of every CSV in the warehouse's folder `refs` (prices, labels, names), reloads those whose
 * bytes changed, and drops the tables of files that are gone. A file that cannot be read is reported and leaves its table as it was.
 */
export async function loadReferences(source: PublishSource): Promise<readonly ReferenceProblem[]> {
  const folder = referenceFolder(source.folder);
  const files = await listReferences(folder);
  const known = await source.query<Known>('SELECT name, file, sha256 FROM firn.reference ORDER BY name');
  const problems: ReferenceProblem[] = [];
  const taken = new Map<string, string>();
  for (const entry of files) {
    const { name: file } = entry;
    const name = columnName(file.replace(/\.csv$/i, ''));
    const other = taken.get(name);
    let refused: string | undefined;
    if (name === '') refused = 'its name has no letter a–z or digit to call a table by; rename it';
    else if (other !== undefined) refused = `refs/${other} already is the table refs.${name}; rename one of them`;
    // What no table can be called is listed by its file's name, which has a dot, as no table's has.
    const listed = refused === undefined ? name : file;
    taken.set(listed, file);
    if (entry.isSymbolicLink())
      refused ??= 'it is a link, and what it leads to is out of reach; put the file itself there';
    const reference = { path: join(folder, file), file, name: listed, refused };
    const problem = await load(source, reference, known);
    if (problem !== undefined) problems.push({ file, message: `refs/${file} was not loaded: ${problem}.` });
  }
  for (const { name } of known.filter((row) => !taken.has(row.name))) {
    const statements = [
      `DROP TABLE IF EXISTS refs.${identifier(name)}`,
      `DELETE FROM firn.reference WHERE name = ${literal(name)}`,
      modelsAnew,
    ];
    await source.transaction((tx) => tx.run(statements.join(';\n')));
  }
  return problems;
}

/** Has the next build look whether models can still read the table, which may be gone or have other columns. */
const modelsAnew = `UPDATE firn.build_state SET files_hash = ''`;

/** A file, and the table that it becomes. */
interface Reference {
  readonly path: string;
  readonly file: string;
  readonly name: string;
  /** Why it cannot be loaded, whatever is in it. */
  readonly refused: string | undefined;
}

/** Loads one file where its bytes are not those of the table; returns what is wrong with it. */
async function load(source: PublishSource, reference: Reference, known: readonly Known[]): Promise<string | undefined> {
  const { path, file, name, refused } = reference;
  const row = known.find((candidate) => candidate.name === name);
  try {
    if (refused !== undefined) throw new FirnError('contract', refused);
    const sha256 = await sha256File(path);
    if (row?.sha256 === sha256 && row.file === file) {
      await source.run(
        `UPDATE firn.reference SET problem = NULL WHERE name = ${literal(name)} AND problem IS NOT NULL`,
      );
      return undefined;
    }
    await makeTable(source, reference, sha256);
    return undefined;
  } catch (error) {
    if (hasCode(error, 'disk')) throw error;
    const problem = reasonOf(error);
    await source.run(
      row
        ? `UPDATE firn.reference SET problem = ${literal(problem)} WHERE name = ${literal(name)}`
        : `INSERT INTO firn.reference VALUES (${literal(name)}, ${literal(file)}, NULL, NULL, NULL, ${literal(problem)})`,
    );
    return row?.sha256 ? `${problem}; refs.${name} is still what it was` : problem;
  } finally {
    await source.run('DROP TABLE IF EXISTS temp.firn_reference_texts');
  }
}

/** Time and memory of one statement grow with the square of its columns: 300 took 4 GB. */
const columnsAtOnce = 4;

async function makeTable(source: PublishSource, { path, file, name }: Reference, sha256: string): Promise<void> {
  const { delimiter, names } = await readHeader(path);
  await refuseLongLines(path);
  const columns = names.map((column) => `${literal(column)}: 'VARCHAR'`).join(', ');
  // An empty line is no row, which DuckDB knows only where there are several columns.
  const [only = ''] = names;
  const where = names.length === 1 ? `WHERE ${identifier(only)} IS NOT NULL` : '';
  // DuckDB must not guess: it would take another line for the header where rows do not fit the first one.
  await source.run(
    `CREATE TEMP TABLE firn_reference_texts AS FROM read_csv(${literal(escapeGlob(path))}, auto_detect = false, header = true,
       columns = {${columns}}, delim = ${literal(delimiter)}, quote = '"', escape = '"') ${where}`,
  );
  const joined = await textColumns(source);
  const selected: string[] = [];
  for (let from = 0; from < names.length; from += columnsAtOnce) {
    const some = names.slice(from, from + columnsAtOnce);
    const [facts = {}] = await source.query<Record<string, unknown>>(factsSql('temp.firn_reference_texts', some));
    some.forEach((column, i) => {
      selected.push(`${valueSql(column, factsOf(facts, i), joined.has(column))} AS ${identifier(column)}`);
    });
  }
  const table = `refs.${identifier(name)}`;
  const statements = [
    `CREATE OR REPLACE TABLE ${table} AS SELECT ${selected.join(', ')} FROM temp.firn_reference_texts`,
    `COMMENT ON TABLE ${table} IS ${literal(`The rows of refs/${file}.`)}`,
    `DELETE FROM firn.reference WHERE name = ${literal(name)}`,
    `INSERT INTO firn.reference SELECT ${literal(name)}, ${literal(file)}, ${literal(sha256)}, count(*), now()::TIMESTAMP, NULL FROM ${table}`,
    modelsAnew,
  ];
  await source.transaction((tx) => tx.run(statements.join(';\n')));
}

/** Names of columns that are text in every mart that has them, such as `chain_id`. */
async function textColumns(source: PublishSource): Promise<ReadonlySet<string>> {
  const rows = await source.query<{ name: string }>(
    `SELECT column_name AS name FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = 'mart'
     GROUP BY column_name HAVING bool_and(data_type = 'VARCHAR')`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** The lines of an error that say something: DuckDB adds the options of the reader and the statement. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  // What DuckDB says of it, and of nothing else that is known.
  if (/state machine reached an invalid state/.test(message))
    return 'its lines end in different ways, such as CRLF and LF; save it with one of them';
  const lines = message
    .split(/\n\s*\n|\nPossible/)[0]
    ?.split('\n')
    .map((line) => line.trim().replace(/^(Invalid Input Error|Conversion Error): /, ''))
    .filter((line) => line !== '');
  return (lines ?? []).join(', ').replace(/\.$/, '').slice(0, 400);
}
