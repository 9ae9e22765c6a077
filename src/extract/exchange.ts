import type { Pool } from 'undici';
import { linkedAbort } from './linkedAbort.ts';
import { type Body, readBody } from './readBody.ts';
import type { Headers } from './serverLimits.ts';

/** Milliseconds. `idle` is the longest silence inside a body, `total` the whole exchange from sending to the last byte. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly idle: number;
  readonly total: number;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Exchange extends Body {
  readonly status: number;
  readonly headers: Headers;
}

/** Of the body of an error nobody needs more. */
const ERROR_BODY_BYTES = 65_536;

/**
 * Sends one request once and reads the answer, whatever its status. Redirects are not followed.
 *
 * @throws errors of the network, undici and zlib as they are (they carry a `code`, `FIRN_TOTAL_TIMEOUT` for the total
 *   time) · the signal's reason · FirnError `contract` from reading the body of a 2xx
 */
export async function exchange(
  pool: Pool,
  request: ExchangeRequest,
  options: {
    timeouts: Timeouts;
    maxBytes: number;
    signal: AbortSignal | undefined;
    onHead: (status: number, headers: Headers) => void;
  },
): Promise<Exchange> {
  const { timeouts, maxBytes, onHead } = options;
  const limit = linkedAbort(options.signal);
  const timer = setTimeout(() => limit.abort(totalTimeout(timeouts.total)), timeouts.total);
  try {
    const answer = await pool.request({
      method: request.method,
      path: request.target,
      headers: request.headers,
      body: request.body ?? null,
      signal: limit.signal,
      headersTimeout: timeouts.headers,
      bodyTimeout: timeouts.idle,
    });
    const { statusCode: status, headers } = answer;
    onHead(status, headers);
    const encoding = String(headers['content-encoding'] ?? '');
    if (status >= 200 && status < 300) return { status, headers, ...(await readBody(answer.body, encoding, maxBytes)) };
    return { status, headers, ...(await errorBody(answer.body, encoding)) };
  } finally {
    clearTimeout(timer);
    limit.unlink();
  }
}

/** The status of an error tells enough: its body may be cut, damaged or endless. */
async function errorBody(stream: AsyncIterable<Buffer>, encoding: string): Promise<Body> {
  try {
    return await readBody(stream, encoding, ERROR_BODY_BYTES);
  } catch {
    return { content: Buffer.alloc(0), wireBytes: 0 };
  }
}

function totalTimeout(ms: number): Error {
  return Object.assign(new Error(`No complete answer within ${ms} ms`), { code: 'FIRN_TOTAL_TIMEOUT' });
}
