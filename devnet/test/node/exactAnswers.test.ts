import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, startDevnet } from '../../src/startDevnet.ts';
import type { ExactAnswer, Ledger } from '../../src/types.ts';

interface HttpAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Sends a request exactly as it was recorded; fetch would add headers of its own. */
function send(devnet: Devnet, { method, path, headers, body }: ExactAnswer['request']): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = body ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const request = httpRequest(
      { host: '127.0.0.1', port: devnet.port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, contentType: response.headers['content-type'], body: text });
        });
      },
    );
    request.on('error', reject);
    request.end(body ?? '');
  });
}

/** Long request bodies were cut when they were recorded; what they held is known from their names and sizes. */
function wholeRequest({ name, request }: ExactAnswer): ExactAnswer['request'] {
  const size = Number(/…\((\d+) bytes\)$/.exec(request.body ?? '')?.[1] ?? 0);
  if (size === 0) return request;
  const calls = Number(/batch of (\d+)/.exec(name)?.[1] ?? 0);
  const call = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`;
  const body =
    calls > 0
      ? `[${Array.from({ length: calls }, (_, id) => call(id)).join()}]`
      : `${(request.body ?? '').slice(0, 100).padEnd(size - 3, 'a')}"]}`;
  expect(Buffer.byteLength(body)).toBe(size);
  return { ...request, body };
}

function contentTypeOf({ response }: ExactAnswer): string | undefined {
  const at = response.headers.findIndex((word, i) => i % 2 === 0 && word.toLowerCase() === 'content-type');
  return at === -1 ? undefined : response.headers[at + 1];
}

/** Answers that tell about the process which recorded them, not about the chain. */
const notDerivable = new Set([
  'path /ext/metrics', // counters of that process
  'GET /ext/health', // taken before its first health check had run
]);

const recordings = [
  ['the packed recording', undefined, 290],
  ['signed containers', 'node-ledger-signed', 29],
  ['a history through every fork', 'node-ledger-forks', 34],
] as const;

describe.each(recordings)('exact answers of %s', (_, folder, count) => {
  let ledger: Ledger;
  let devnet: Devnet;
  beforeAll(async () => {
    ledger = await readLedger(
      folder === undefined ? undefined : join(import.meta.dirname, '../../../test/fixtures', folder),
    );
    devnet = await startDevnet({ ledger });
  });
  afterAll(() => devnet.close());

  test('are given byte for byte', async () => {
    const different: unknown[] = [];
    for (const exact of ledger.exactAnswers) {
      if (notDerivable.has(exact.name)) continue;
      const answer = await send(devnet, wholeRequest(exact));
      const { status, body, bodyBytes } = exact.response;
      // Long answers were cut, and end with their true size.
      const cut = Buffer.byteLength(body) === bodyBytes ? body.length : body.lastIndexOf('…');
      const same =
        answer.status === status &&
        answer.contentType === contentTypeOf(exact) &&
        Buffer.byteLength(answer.body) === bodyBytes &&
        answer.body.slice(0, cut) === body.slice(0, cut);
      if (!same)
        different.push({
          name: exact.name,
          answer: { ...answer, body: answer.body.slice(0, 600) },
          recorded: { status, body: body.slice(0, 600) },
        });
    }
    expect(ledger.exactAnswers.length).toBe(count);
    expect(different).toEqual([]);
  });
});
