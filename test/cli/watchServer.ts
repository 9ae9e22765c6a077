import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listening } from '../listening.ts';

/** A request on its way to the watched server. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What to do with a request instead of passing it on; `pass` sends it to the watched server all the same. */
export type Meddle = (
  seen: Seen,
  response: ServerResponse,
  pass: () => Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>,
) => boolean | undefined | Promise<boolean | undefined>;

export interface WatchServer {
  readonly url: string;
  readonly seen: Seen[];
  /** Takes requests over from now on; answers true where it has answered. */
  meddle: Meddle | undefined;
  count(method: string, path: string): number;
}

/** A server in front of another one that keeps every request, and may meddle with it. Gone after the test. */
export async function watchServer(target: () => string): Promise<WatchServer> {
  const seen: Seen[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await text(incoming);
    const entry = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
    seen.push(entry);
    const pass = () => passOn(target(), entry);
    if (await self.meddle?.(entry, response, pass)) return;
    const answer = await pass();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  const self: WatchServer = {
    url,
    seen,
    meddle: undefined,
    count: (method, path) => seen.filter((entry) => entry.method === method && entry.path.startsWith(path)).length,
  };
  return self;
}

function passOn(target: string, { method, path, headers, body }: Seen) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((done, failed) => {
    const outgoing = forward(`${target}${path}`, { method, headers }, (answer) => {
      const { 'transfer-encoding': _, ...rest } = answer.headers;
      buffer(answer).then((body) => done({ status: answer.statusCode ?? 0, headers: rest, body }), failed);
    });
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}
