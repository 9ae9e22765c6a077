import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

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
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const entry = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
    seen.push(entry);
    const pass = () => passOn(target(), entry);
    if (await self.meddle?.(entry, response, pass)) return;
    const answer = await pass();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const self: WatchServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    meddle: undefined,
    count: (method, path) => seen.filter((entry) => entry.method === method && entry.path.startsWith(path)).length,
  };
  return self;
}

function passOn(target: string, { method, path, headers, body }: Seen) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((done, failed) => {
    const outgoing = forward(`${target}${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { 'transfer-encoding': _, ...rest } = answer.headers;
        done({ status: answer.statusCode ?? 0, headers: rest, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}
