import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FirnError, hasCode } from '../../core/firnError.ts';
import { decoded } from '../../core/text/decoded.ts';
import { temporaryFolder } from '../../disk/temporaryFolder.ts';
import { missingFilesText } from '../../publish/reader/openReader.ts';
import type { QueryRequest, QueryRows } from '../query/queryRequest.ts';
import { rowsFrom, startQuery } from '../query/startQuery.ts';
import { plainAnswer, type TextAnswer } from '../textAnswer.ts';
import { sqlPage } from './sqlPage.ts';
import { tablePage } from './tablePage.ts';
import { tableQuery } from './tableQuery.ts';
import type { TablesContext } from './tablesContext.ts';
import { tablesPage } from './tablesPage.ts';
import { withoutEmptyRows } from './withoutEmptyRows.ts';

export interface TablesRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Warehouse that is asked. */
  readonly folder: string;
  readonly context: TablesContext;
  /** Headers that every answer has. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The longest that a page, a user's query and a download may take. */
const pageTime = 20_000;
const sqlTime = 10_000;
const downloadTime = 600_000;
const graceTime = 5000;
/** Most rows of a user's query. */
const sqlRows = 1000;
const longestValue = 10_000;
/** Queries at a time; each is a process with this many threads and this much memory in MB. */
const mostQueries = 4;
const mostThreads = 2;
const memory = 512;
const processMemory = 1200;

let running = 0;

/**
 * Answers `/tables`, `/tables/<schema.table>` (as a page, `.json`, `.csv`, `.parquet`) and `/sql`; undefined where it has streamed the
 * answer itself.
 *
 * @throws FirnError `usage` for a question that a table cannot answer, `rate_limited` when too much is asked at a time
 */
export async function answerTables(asked: TablesRequest): Promise<TextAnswer | undefined> {
  const { url, context } = asked;
  if (url.pathname === '/tables') return page(tablesPage(context));
  if (url.pathname === '/sql') return answerSql(asked);
  const [, coded = '', kind = ''] = /^\/tables\/(.+?)(\.json|\.csv|\.parquet)?$/.exec(url.pathname) ?? [];
  const relation = decoded(coded);
  const columns = context.relations.get(relation);
  if (!columns) return plainAnswer(404, `There is no table "${relation}": /tables lists all.`);
  if (isForeign(asked.request) && (kind !== '' || !isLink(asked.request)))
    return plainAnswer(403, 'A page of another site asked for this. Open it from /tables.');
  const parameters = kind === '' ? withoutEmptyRows(url.searchParams) : url.searchParams;
  const query = tableQuery(relation, columns, parameters);
  if (kind === '.csv' || kind === '.parquet') {
    if (parameters.has('from') || parameters.has('most'))
      return plainAnswer(400, `A ${kind} has every row that is filtered: "from" and "most" are for .json.`);
    return download(asked, relation, query.sql, kind);
  }
  const { pageSql: sql, from, most, sort } = query;
  // The pages of a view that joins or groups are asked for one by one: only one thread alone gives its rows in the same order every time.
  const threads = sort.length === 0 ? 1 : mostThreads;
  const found = await rowsOf(asked, { sql, from, most, threads, time: pageTime }).catch(toldError);
  if (kind === '') return page(tablePage(context, relation, query, parameters, found));
  if (typeof found === 'string') return plainAnswer(422, found);
  return { status: 200, type: 'application/json', body: `${JSON.stringify(found)}\n` };
}

const page = (body: string): TextAnswer => ({ status: 200, type: 'text/html; charset=utf-8', body });

async function answerSql(asked: TablesRequest): Promise<TextAnswer> {
  const { url, context, request } = asked;
  const sql = url.searchParams.get('q') ?? '';
  // A page elsewhere can link here with a query, but not make it run.
  if (sql.trim() === '' || isForeign(request)) return page(sqlPage(context, sql, null));
  const query = { sql, from: 0, most: sqlRows, threads: mostThreads, time: sqlTime };
  const found = await rowsOf(asked, query).catch(toldError);
  return page(sqlPage(context, sql, found));
}

/** Whether a page of another origin asks, or links here: browsers say so. Another port of this machine is another origin, too. */
const isForeign = ({ headers }: IncomingMessage): boolean =>
  !['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);

/** Whether a browser asks for a page to show, as a link does, and not for a part of one, such as an image. */
const isLink = ({ headers }: IncomingMessage): boolean =>
  ['document', undefined].includes(headers['sec-fetch-dest'] as string | undefined);

/** What a query's process said, to be shown; other errors are the server's own. */
function toldError(error: unknown): string {
  if (hasCode(error, 'refused', 'failed')) return missingFilesText(error.message) ?? error.message;
  throw error;
}

const rowsOf = (asked: TablesRequest, query: Omit<OwnQuery, 'as' | 'longest' | 'file'>): Promise<QueryRows> =>
  withQuery(asked, { ...query, as: 'rows', longest: longestValue }, rowsFrom);

type OwnQuery = Omit<QueryRequest, 'folder' | 'memory' | 'processMemory'>;

/** Runs a query for as long as somebody waits for it. */
async function withQuery<T>(
  { response, folder }: TablesRequest,
  query: OwnQuery,
  use: (output: Readable, ended: Promise<void>) => Promise<T>,
): Promise<T> {
  if (running >= mostQueries)
    throw new FirnError('rate_limited', `${mostQueries} queries are running already: try again when one has ended.`);
  const { output, ended, kill } = startQuery({ ...query, folder, memory, processMemory });
  running++;
  response.once('close', kill);
  // The process ends itself; this is for one that is stuck, and for whoever has stopped reading.
  const timer = setTimeout(() => {
    kill();
    if (response.headersSent) response.destroy();
  }, query.time + graceTime);
  try {
    return await use(output, ended);
  } finally {
    clearTimeout(timer);
    kill();
    await ended.catch(() => {});
    running--;
    response.removeListener('close', kill);
  }
}

/** Streams a table whole. What goes wrong after the first byte cuts the connection: half a file must not look like a whole one. */
async function download(
  asked: TablesRequest,
  relation: string,
  sql: string,
  kind: '.csv' | '.parquet',
): Promise<TextAnswer | undefined> {
  const { response, headers, request } = asked;
  const head = {
    ...headers,
    'content-type': kind === '.csv' ? 'text/csv; charset=utf-8' : 'application/vnd.apache.parquet',
    'content-disposition': `attachment; filename="${relation.replace(/[^\w.-]/g, '_')}${kind}"`,
  };
  if (request.method === 'HEAD') {
    response.writeHead(200, head).end();
    return undefined;
  }
  const query = { sql, from: 0, most: 0, longest: 0, threads: mostThreads, time: downloadTime };
  try {
    await (kind === '.csv' ? sendCsv : sendParquet)(asked, query, head);
  } catch (error) {
    if (!response.headersSent) return plainAnswer(422, toldError(error));
    response.destroy();
  }
  return undefined;
}

type Whole = Omit<OwnQuery, 'as' | 'file'>;

function sendCsv(asked: TablesRequest, query: Whole, head: OutgoingHttpHeaders): Promise<void> {
  const { response } = asked;
  return withQuery(asked, { ...query, as: 'csv' }, async (output, ended) => {
    // What fails at once is reported as it is.
    await Promise.race([ended, once(output, 'readable')]);
    // An output without a byte is readable, too: at its end, before its process has said why. It is read, for the process to count as ended.
    if (output.readableLength === 0) {
      output.resume();
      await ended;
    }
    response.writeHead(200, head);
    await pipeline(output, response, { end: false });
    await ended;
    response.end();
  });
}

async function sendParquet(asked: TablesRequest, query: Whole, head: OutgoingHttpHeaders): Promise<void> {
  const { response } = asked;
  const folder = await temporaryFolder(join(tmpdir(), 'firn-serve-'));
  try {
    const file = join(folder, 'table.parquet');
    await withQuery(asked, { ...query, as: 'parquet', file }, async (_, ended) => ended);
    response.writeHead(200, head);
    await pipeline(createReadStream(file), response);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
