import type { Dispatcher } from 'undici';
import { type Bounds, bounds as known } from '../core/bounds.ts';
import type { Clock } from './clock.ts';
import { linkedAbort } from './linkedAbort.ts';
import { type Body, readBody } from './readBody.ts';
import type { HoldBytes } from './room.ts';
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

/** Nobody needs more of an error's body. */
const ofErrors: Bounds = { ...known.page, bytes: 65_536 };

/**
 * Sends one request once and reads the answer, whatever its status. Redirects are not followed.
 *
 * @throws errors of the network, undici and zlib as they are (they carry a `code`, `FIRN_TOTAL_TIMEOUT` for the total
 *   time) · the signal's reason · FirnError `contract` from reading the body of a 2xx
 */
export async function exchange(
  pool: Pick<Dispatcher, 'request'>,
  request: ExchangeRequest,
  options: {
    clock: Clock;
    timeouts: Timeouts;
    bounds: Bounds;
    signal: AbortSignal | undefined;
    onHead: (status: number, headers: Headers) => void;
    /** Waits for room for the body. */
    hold: HoldBytes;
  },
): Promise<Exchange> {
  const { clock, timeouts, bounds, onHead } = options;
  const limit = linkedAbort(options.signal);
  const inTime = clock.after(timeouts.total, () => limit.abort(totalTimeout(timeouts.total)));
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
    const hold = (bytes: number) => options.hold(bytes, limit.signal);
    if (status < 200 || status >= 300) return { status, headers, ...(await errorBody(answer.body, encoding, hold)) };
    return { status, headers, ...(await readBody(answer.body, encoding, bounds, hold)) };
  } finally {
    inTime();
    limit.unlink();
  }
}

/** The status of an error tells enough: its body may be cut, damaged or endless. */
async function errorBody(
  stream: AsyncIterable<Buffer>,
  encoding: string,
  hold: (bytes: number) => Promise<void>,
): Promise<Body> {
  try {
    return await readBody(stream, encoding, ofErrors, hold);
  } catch {
    return { content: Buffer.alloc(0), wireBytes: 0 };
  }
}

function totalTimeout(ms: number): Error {
  return Object.assign(new Error(`No complete answer within ${ms} ms`), { code: 'FIRN_TOTAL_TIMEOUT' });
}
