import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listening } from '../listening.ts';

/** A request as the server got it. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers the request number `n`, counted from 1. */
export type Answer = (response: ServerResponse, n: number, received: Received) => void;

export interface LocalServer {
  readonly url: string;
  readonly received: Received[];
  /** TCP connections that were opened. */
  connections(): number;
  close(): Promise<void>;
}

/** A real HTTP server on a free loopback port, gone after the test. */
export async function localServer(answer: Answer): Promise<LocalServer> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const entry = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    received.push(entry);
    answer(response, received.length, entry);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return { url, received, connections: () => connections, close };
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
