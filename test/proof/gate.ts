import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../listening.ts';

/** A server in front of another one that lets nothing through until it is opened. */
export interface Gate {
  readonly url: string;
  /** Resolves when something asks: whoever does so has opened its warehouse. */
  readonly asked: Promise<void>;
  open(): void;
  close(): void;
}

export async function startGate(target: string): Promise<Gate> {
  let open = () => {};
  let tell = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer(async (request, response) => {
    tell();
    const body = await buffer(request);
    await opened;
    const { host: _, connection: __, 'content-length': ___, 'accept-encoding': ____, ...headers } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
  });
  const { url, close } = await listening(server);
  return { url, asked, open, close };
}
