import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../listening.ts';
import { type HostileAnswer, hostileAnswers } from './hostileAnswers.ts';

/** Serves each answer below its own name; indexes of containers say that they hold enough. */
export async function hostileServer(): Promise<{ readonly url: string; close(): void }> {
  const made = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const asked = await text(request);
    const name = decodeURIComponent(request.url?.split('/')[1] ?? '');
    const { body, encoding } = hostileAnswers[name] as HostileAnswer;
    const { id, method } = (asked === '' ? {} : JSON.parse(asked)) as { id?: number; method?: string };
    response.writeHead(200, { 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) });
    if (method === 'index.getLastAccepted')
      return response.end(`{"jsonrpc":"2.0","id":${id},"result":{"index":"2000"}}`);
    const answer = made.get(name) ?? body();
    made.set(name, answer);
    const place = answer.indexOf('"id":0');
    if (place < 0 || id === undefined) return response.end(answer);
    response.write(answer.subarray(0, place));
    response.write(`"id":${id}`);
    return response.end(answer.subarray(place + 6));
  });
  return listening(server);
}
