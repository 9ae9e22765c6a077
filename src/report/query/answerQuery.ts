import { dirname, join } from 'node:path';
import { StatementType } from '@duckdb/node-api';
import { FirnError } from '../../core/firnError.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { type DuckDb, openDuckDb } from '../../load/database/openDuckDb.ts';
import { isOutOfMemory } from '../../load/diskError.ts';
import { vectorRows } from '../../publish/files/copySql.ts';
import { openInPlace } from '../../publish/reader/openInPlace.ts';
import { ownReaderFile } from '../../publish/reader/readerPaths.ts';
import { parseTree, type SyntaxTree } from '../../transform/models/parseTree.ts';
import type { QueryRequest, QueryRows } from './queryRequest.ts';
import { refusedParts } from './refusedParts.ts';
import { withoutEnd } from './withoutEnd.ts';

/** Where an answer goes, piece by piece; resolves when there is room for the next one. */
export type WriteText = (text: string) => Promise<void>;

/**
 * Runs one SELECT on a reader database, in a process that does nothing else: DuckDB may crash, or take more than it was allowed.
 * It reaches only the published Parquet files, loads nothing, spills nothing to disk, and cannot change that.
 *
 * @throws FirnError `usage` for what is no SELECT, reaches for files, or is held back since the first build
 */
export async function answerQuery(asked: QueryRequest, write: WriteText): Promise<void> {
  // It is run inside another query.
  const request = { ...asked, sql: asSelect(withoutEnd(asked.sql)) };
  const database = await openInPlace(request.folder, (folders) => open(request, folders));
  try {
    const columns = await columnsOf(database, request.sql);
    await answerWith(database, request, columns, write).catch((error: unknown) => {
      throw withoutPlace(error);
    });
  } catch (error) {
    throw await orHeldBack(database, error);
  } finally {
    database.close();
  }
}

async function answerWith(database: DuckDb, request: QueryRequest, columns: Columns, write: WriteText): Promise<void> {
  if (request.as === 'rows') await write(fitting(JSON.stringify(await readRows(database, request, columns))));
  else if (request.as === 'csv') await writeCsv(database, request.sql, columns, write);
  else await writeParquet(database, request, columns);
}

/** Of a relation that no version has yet, because it is held back, DuckDB knows only that it does not exist. */
async function orHeldBack({ connection }: DuckDb, error: unknown): Promise<unknown> {
  const [, name] = /Table with name (\w+) does not exist/.exec((error as Error).message) ?? [];
  if (name === undefined) return error;
  const sql = `SELECT relation FROM firn.held_back WHERE lower(split_part(relation, '.', 2)) = lower($1)`;
  const held = await connection.runAndReadAll(sql, [name]).catch(() => undefined);
  const [row] = held?.getRows() ?? [];
  if (!row) return error;
  return new FirnError(
    'usage',
    `${row[0]} is held back since the first build: "firn status" says why, and what to do.`,
  );
}

/** The line that DuckDB quotes here is one of the query around: who asked did not write it. */
const withoutPlace = (error: unknown): unknown =>
  error instanceof Error && /\n\s*LINE \d+: /.test(error.message)
    ? new Error(error.message.replace(/\s*\n\s*LINE \d+: .*/s, ''), { cause: error })
    : error;

/** What people ask a shell first is a SELECT only to those who know it. */
const asSelect = (sql: string): string =>
  /^\s*(?:show|describe|desc|summarize)\b/i.test(sql) ? `FROM (${sql}\n)` : sql;

/** Most characters of a page of rows: whoever asked holds it several times over. */
const largestPage = 16_000_000;

function fitting(page: string): string {
  if (page.length <= largestPage) return page;
  const size = `${Math.ceil(page.length / 1e6)} million characters, and a page holds ${largestPage / 1e6} million`;
  throw new FirnError('usage', `These rows have ${size}: ask for fewer of them, or for fewer or shorter columns.`);
}

const open = ({ folder, file, memory, threads }: QueryRequest, roots: readonly string[]): Promise<DuckDb> =>
  openDuckDb({
    folders: [...roots.map((root) => join(root, 'lake')), ...(file === undefined ? [] : [dirname(file)])],
    file: ownReaderFile(folder),
    config: {
      access_mode: 'READ_ONLY',
      memory_limit: `${memory}MB`,
      temp_directory: '',
      threads: String(threads),
    },
  });

type Columns = Pick<QueryRows, 'names' | 'types'>;

async function columnsOf({ connection }: DuckDb, sql: string): Promise<Columns> {
  const tree = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const parsed = parseTree(String(tree.getRows()[0]?.[0]));
  if (parsed.error) throw new FirnError('usage', whyNoSelect(sql, parsed));
  const { statements = [] } = parsed;
  if (statements.length === 0) throw new FirnError('usage', 'The query is empty. Write a SELECT.');
  if (statements.length > 1) throw new FirnError('usage', 'One statement at a time, please.');
  const refused = refusedParts(statements);
  if (refused.length > 0)
    throw new FirnError('usage', `${refused.join(', ')}: only published tables and views can be read here.`);
  const prepared = await connection.prepare(sql);
  if (prepared.statementType !== StatementType.SELECT) throw new FirnError('usage', 'Only SELECT is allowed here.');
  if (prepared.parameterCount > 0)
    throw new FirnError(
      'usage',
      `Nothing gives a value to $${prepared.parameterName(1)}: write the value in its place.`,
    );
  return {
    names: Array.from({ length: prepared.columnCount }, (_, place) => prepared.columnName(place)),
    types: Array.from({ length: prepared.columnCount }, (_, place) => String(prepared.columnType(place))),
  };
}

/** Why a text is no SELECT that DuckDB can write down as a tree. */
function whyNoSelect(sql: string, { error_type, error_message }: SyntaxTree): string {
  if (error_type === 'parser') return `Parser Error: ${error_message}`;
  if (/\bpivot(_wider)?\b/i.test(sql))
    return "PIVOT needs the values that become columns here, such as ON metric IN ('txCount', 'gasUsed'): without them it is several statements.";
  return 'Only SELECT is allowed here: nothing is changed, loaded or set.';
}

const everyText = 'CAST(COLUMNS(*) AS VARCHAR)';

/** Every value as text, so that no digit is lost. */
const asText = (sql: string): string => `SELECT ${everyText} FROM (${sql}\n)`;

/** The beginnings of these texts, and after all of them the length of each that is longer. */
const asShortText = (sql: string, longest: number): string =>
  `SELECT left(${everyText}, ${longest}), CASE WHEN length(${everyText}) > ${longest} THEN length(${everyText}) END FROM (${sql}\n)`;

async function readRows(
  { connection }: DuckDb,
  { sql, from, most, longest }: QueryRequest,
  columns: Columns,
): Promise<QueryRows> {
  const reader = await connection.runAndReadAll(`${asShortText(sql, longest)} LIMIT ${most + 1} OFFSET ${from}`);
  const found = reader.getRows();
  const shown = found.slice(0, most);
  const width = columns.names.length;
  const cut = shown.flatMap((values, row) =>
    values
      .slice(width)
      .flatMap((length, column) => (length === null ? [] : [{ row, column, characters: Number(length) }])),
  );
  return {
    ...columns,
    rows: shown.map((values) => values.slice(0, width) as (string | null)[]),
    more: found.length > most,
    ...(cut.length > 0 && { cut }),
  };
}

const csvField = (value: string | null): string =>
  value === null ? '' : value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** Most readers pass over a line with nothing on it, and its row with it: NULL alone is two quotes, as an empty text is. */
const csvLine = (values: readonly (string | null)[]): string => `${values.map(csvField).join(',') || '""'}\r\n`;

/** Characters of lines that are written at once: two thousand rows of a megabyte are more than a string holds. */
const largestPiece = 1_000_000;

/** RFC 4180, UTF-8: NULL is nothing at all beside other columns, an empty text is two quotes. */
async function writeCsv({ connection }: DuckDb, sql: string, { names }: Columns, write: WriteText): Promise<void> {
  const result = await connection.stream(asText(sql));
  await write(csvLine(names));
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    let lines = '';
    for (let row = 0; row < chunk.rowCount; row++) {
      lines += csvLine(chunk.getRowValues(row) as (string | null)[]);
      if (lines.length < largestPiece && row + 1 < chunk.rowCount) continue;
      await write(lines);
      lines = '';
    }
  }
}

/**
 * HUGEINT, also inside of lists, would silently become a double. Amounts are DECIMAL; only sums are HUGEINT. Columns are known by their places: of
 * two of one name the first would be written twice.
 */
async function writeParquet({ connection }: DuckDb, { sql, file = '' }: QueryRequest, columns: Columns): Promise<void> {
  const { names, types } = columns;
  const places = names.map((_, place) => `c${place}`);
  const written = names.map((name, place) => {
    const exact =
      types[place]?.replaceAll(/"(?:[^"]|"")*"|\bU?HUGEINT\b/g, (word) =>
        word.startsWith('"') ? word : 'DECIMAL(38,0)',
      ) ?? '';
    const value = exact === types[place] ? places[place] : `CAST(${places[place]} AS ${exact})`;
    return `${value} AS ${identifier(name)}`;
  });
  const copy = (options: string) =>
    connection.run(
      `COPY (SELECT ${written.join(', ')} FROM (${sql}\n) AS q(${places.join(', ')})) TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd${options})`,
    );
  // DuckDB holds a row group until it is full, and few rows of a megabyte need more than there is: then as few rows as it can.
  await copy('').catch((error: unknown) => {
    if (!isOutOfMemory(error)) throw error;
    return copy(`, ROW_GROUP_SIZE ${vectorRows}`);
  });
}
