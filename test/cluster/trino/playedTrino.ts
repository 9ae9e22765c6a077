import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../listening.ts';

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
  const server = createServer(async (request, response) => {
    const body = await text(request);
    heard.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const answer = request.method === 'DELETE' ? { status: 204 } : left.shift();
    if (answer === undefined) return void response.writeHead(500).end('nothing is left to play');
    if (answer === 'wait') return;
    if (answer === 'break') return void request.socket.destroy();
    if ('status' in answer) return void response.writeHead(answer.status).end(answer.text);
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer.json.replaceAll('{url}', url));
  });
  const { url, close } = await listening(server);
  return { url, heard, left, close };
}
