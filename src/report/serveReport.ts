import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isOwnHost } from '../core/isOwnHost.ts';
import { contentSecurityPolicy } from './page.ts';
import { prometheusText } from './prometheusText.ts';
import { renderReport } from './renderReport.ts';
import type { ReportData } from './reportData.ts';

export interface ServeOptions {
  /** Reads everything again; called when `version` or `state` has changed since the last answer. */
  readonly load: () => Promise<ReportData>;
  /** Identifies the published version. */
  readonly version: () => Promise<string>;
  /** Identifies what is going on besides: a run that begins or ends. */
  readonly state: () => Promise<string>;
}

interface Answer {
  readonly type: string;
  readonly body: string;
}

const routes = new Map<string, keyof Rendered>([
  ['/', 'page'],
  ['/report.json', 'json'],
  ['/metrics', 'metrics'],
]);

interface Rendered {
  readonly page: Answer;
  readonly json: Answer;
  readonly metrics: Answer;
}

/**
 * A read-only server of the report: `/`, `/report.json` and `/metrics`. Whoever is asked by another name than this machine's
 * own (a page elsewhere that lets its name point here) gets nothing.
 */
export function createReportServer(options: ServeOptions): Server {
  const current = keepRendered(options);
  return createServer((request, response) => {
    answer(request, response, current).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      send(
        request,
        response,
        503,
        { type: 'text/plain; charset=utf-8', body: `${message}\n` },
        { 'retry-after': '10' },
      );
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  current: () => Promise<{ version: string; rendered: Rendered }>,
): Promise<void> {
  const plain = (status: number, body: string, headers = {}) =>
    send(request, response, status, { type: 'text/plain; charset=utf-8', body: `${body}\n` }, headers);
  if (!isOwnHost(request.headers.host, request.socket.localPort)) {
    return plain(403, 'This server answers only to localhost and 127.0.0.1.');
  }
  const route = routes.get((request.url ?? '').split('?')[0] ?? '');
  if (!route) return plain(404, 'There is /, /report.json and /metrics.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Only GET.', { allow: 'GET, HEAD' });
  const { version, rendered } = await current();
  send(request, response, 200, rendered[route], { etag: version });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  { type, body }: Answer,
  headers: Record<string, string>,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'content-security-policy': `${contentSecurityPolicy(true)}; frame-ancestors 'none'`,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The rendered answers, made anew when something has changed; requests that come meanwhile wait for the same ones. */
function keepRendered({ load, version, state }: ServeOptions): () => Promise<{ version: string; rendered: Rendered }> {
  let kept: { key: string; version: string; rendered: Promise<Rendered> } | undefined;
  return async () => {
    const [now, going] = [await version(), await state()];
    const key = `${now} ${going}`;
    if (kept?.key !== key) {
      const rendered = load().then((data) => render(data, now));
      kept = { key, version: now, rendered };
      // What failed is tried again by the next request.
      rendered.catch(() => {
        if (kept?.rendered === rendered) kept = undefined;
      });
    }
    return { version: kept.version, rendered: await kept.rendered };
  };
}

function render(data: ReportData, version: string): Rendered {
  return {
    page: { type: 'text/html; charset=utf-8', body: renderReport(data, version) },
    json: { type: 'application/json', body: `${JSON.stringify(data)}\n` },
    metrics: { type: 'text/plain; version=0.0.4; charset=utf-8', body: prometheusText(data) },
  };
}
