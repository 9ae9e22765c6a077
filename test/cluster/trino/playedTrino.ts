import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a played server does with one request: an answer, a status, a connection that breaks, or nothing at all. */
export type Played = { readonly json: string } | { readonly status: number; readonly text?: string } | 'break' | 'wait';

interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that plays recorded answers in their order; `{url}` in them is its own address. */
export async function playedTrino(answers: readonly Played[]) {
  const heard: Heard[] = [];
  const left = [...answers];
  let url = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    heard.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const answer = request.method === 'DELETE' ? { status: 204 } : left.shift();
    if (answer === undefined) return void response.writeHead(500).end('nothing is left to play');
    if (answer === 'wait') return;
    if (answer === 'break') return void request.socket.destroy();
    if ('status' in answer) return void response.writeHead(answer.status).end(answer.text);
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer.json.replaceAll('{url}', url));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, heard, left, close };
}
