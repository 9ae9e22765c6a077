import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { FirnError, messageOf } from '../core/firnError.ts';
import { isOwnHost } from '../core/text/isOwnHost.ts';
import type { Health } from './health/assessHealth.ts';
import { prometheusText } from './health/prometheusText.ts';
import { contentSecurityPolicy } from './markup/shell.ts';
import { renderReport } from './renderReport.ts';
import type { ReportData } from './reportData.ts';
import { answerTables } from './tables/answerTables.ts';
import type { TablesContext } from './tables/tablesContext.ts';
import { plainAnswer, type TextAnswer } from './textAnswer.ts';

/** The data of a published version. */
export interface ServedData extends Pick<TablesContext, 'relations' | 'comments'> {
  readonly report: ReportData;
  readonly health: Pick<Health, 'exitCode'>;
}

export interface ServeOptions {
  /** Reads everything again; called when `version` or `state` has changed since the last answer. */
  readonly load: () => Promise<ServedData>;
  /** Identifies the published version. */
  readonly version: () => Promise<string>;
  /** Identifies what goes on besides: runs that begin and end. */
  readonly state: () => Promise<string>;
  /** Warehouse whose tables are shown, or a sentence that says where they are. */
  readonly tables: { readonly folder: string } | { readonly elsewhere: string };
}

interface Rendered {
  readonly tables: TablesContext;
  readonly answers: Readonly<Record<string, TextAnswer>>;
}

/** What there is for a request: made from what is published now, and unless it `mayLag`, from what goes on besides. */
type Current = (mayLag: boolean) => Promise<{ version: string; rendered: Rendered }>;

/** What tells of runs, too: everything else is of the published version alone. */
const tellingOfRuns = /^\/(report\.json|metrics|healthz)?$/;

const addresses = /^\/(report\.json|metrics|sql|tables(\/[^/]+)?)?$/;

/**
 * A read-only server of the report (`/`, `/report.json`, `/metrics`), of every published table (`/tables`), of SQL on them (`/sql`), and
 * of its health (`/healthz`). A request that names another host than this machine (a page elsewhere that lets its name
 * point here) is refused.
 */
export function createReportServer(options: ServeOptions): Server {
  const current = keepRendered(options);
  const server = createServer({ maxHeaderSize: longestHeaders }, (request, response) => {
    answer(request, response, options, current)
      .catch(failed)
      .then((answered) => answered && !response.headersSent && send(response, answered));
  });
  return server.on('clientError', refuseUnread);
}

/** Most bytes of a request, most of which is a query in its address. */
const longestHeaders = 256 * 1024;

/** Answers what could not be read to its end. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, sentence] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', `A request may have ${longestHeaders / 1024} KiB, its query included.`]
      : ['400 Bad Request', 'This request cannot be read.'];
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n\r\n${sentence}\n`);
}

/** What cannot be shown yet may be there later. */
const failed = (error: unknown): TextAnswer => plainAnswer(503, messageOf(error), { 'retry-after': '10' });

/** The answer to a question that tables cannot answer, or to too many at once. */
function refused(error: unknown): TextAnswer {
  if (!(error instanceof FirnError)) throw error;
  if (error.code === 'usage') return plainAnswer(400, error.message);
  if (error.code === 'rate_limited') return plainAnswer(503, error.message, { 'retry-after': '1' });
  throw error;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { tables }: ServeOptions,
  current: Current,
): Promise<TextAnswer | undefined> {
  if (!isOwnHost(request.headers.host)) return plainAnswer(403, 'This server answers only to localhost and 127.0.0.1.');
  const target = request.url ?? '';
  const [path = ''] = target.split('?');
  if (path !== '/healthz' && !addresses.test(path))
    return plainAnswer(404, 'There is /, /tables, /sql, /report.json, /metrics and /healthz.');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return plainAnswer(405, 'Only GET.', { allow: 'GET, HEAD' });
  const { version, rendered } = await current(request.method === 'HEAD' || !tellingOfRuns.test(path));
  // Nobody waits any more: a query that began now would not hear of it.
  if (response.destroyed) return undefined;
  if (path === '/healthz') return plainAnswer(200, 'ok');
  const known = rendered.answers[path];
  if (known) return { ...known, headers: { etag: version } };
  if ('elsewhere' in tables) return plainAnswer(404, tables.elsewhere);
  const url = new URL(target, 'http://localhost');
  return answerTables({ request, response, url, folder: tables.folder, context: rendered.tables, headers }).catch(
    refused,
  );
}

/** Headers of every answer. */
const headers: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** What an answer may do that is no page: look as the browser shows texts, whose style wraps long lines. */
const textPolicy = "default-src 'none'; style-src 'unsafe-inline'";

function send(response: ServerResponse, answered: TextAnswer): void {
  const { status, type, body, headers: own } = answered;
  response.writeHead(status, {
    ...headers,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': `${type.startsWith('text/html') ? contentSecurityPolicy(true) : textPolicy}; frame-ancestors 'none'`,
    ...own,
  });
  // Node leaves it out where only the head is asked for.
  response.end(body);
}

/** What is shown says how old it is, and whether that is too old: where no run ends any more, nothing else makes it tell. */
const longestKeptMs = 600_000;

/**
 * The rendered answers, made again when something has changed, one after the other; requests that come while those of their version are made
 * wait for the same ones.
 */
function keepRendered({ load, version, state }: ServeOptions): Current {
  let kept: { key: string; version: string; isMade: boolean; rendered: Promise<Rendered> } | undefined;
  return async (mayLag) => {
    const [now, going] = [await version(), await state()];
    const key = `${now} ${going} ${Math.floor(Date.now() / longestKeptMs)}`;
    if (kept?.version !== now || (kept.isMade && !mayLag && kept.key !== key)) {
      const before = kept?.rendered.catch(() => {});
      const rendered = Promise.resolve(before)
        .then(load)
        .then((data) => render(data, now));
      const made = { key, version: now, isMade: false, rendered };
      kept = made;
      rendered.then(
        () => {
          made.isMade = true;
        },
        // The next request tries again.
        () => {
          if (kept === made) kept = undefined;
        },
      );
    }
    return { version: kept.version, rendered: await kept.rendered };
  };
}

function render({ report, health, relations, comments }: ServedData, live: string): Rendered {
  const text = (type: string, body: string): TextAnswer => ({ status: 200, type, body });
  return {
    tables: { relations, comments, live, firnVersion: report.firnVersion },
    answers: {
      '/': text('text/html; charset=utf-8', renderReport(report, live)),
      '/report.json': text('application/json', `${JSON.stringify(report)}\n`),
      '/metrics': text('text/plain; version=0.0.4; charset=utf-8', prometheusText(report, health)),
    },
  };
}
