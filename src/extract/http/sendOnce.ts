import type { Dispatcher } from 'undici';
import { FirnError, hasCode } from '../../core/firnError.ts';
import { type AnswerKind, bounds, bytesInFlight } from '../../core/json/bounds.ts';
import type { Numbers } from '../../core/json/parseLossless.ts';
import type { Check, Query } from '../../core/requests/request.ts';
import { isUnreachable, readingError, transportError } from '../answers/answerError.ts';
import { checkAnswer, type Inspect } from '../answers/checkAnswer.ts';
import type { Clock } from '../clock.ts';
import { type Exchange, type ExchangeRequest, exchange, type Timeouts } from '../exchange/exchange.ts';
import { createRoom, type HoldBytes } from '../exchange/room.ts';
import type { Breaker } from '../limits/breaker.ts';
import type { Limiter, OnAnswer } from '../limits/limiter.ts';
import type { OpenOrigin } from './origin.ts';
import type { ServerPart } from './serverParts.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** Compute units. Default: 1. */
  readonly weight?: number | undefined;
  /** False where carrying the request out twice would be wrong: it is then sent again only if it surely was not carried out. */
  readonly idempotent?: boolean | undefined;
  /** Times it is sent at most, if not as often as the policy says. */
  readonly attempts?: number | undefined;
  /** Whether the caller asks for less where the server takes no more for now, or has no answer to so much: it is then not sent again as it is. */
  readonly divisible?: boolean | undefined;
  /** Told each time it goes out, retries included. */
  readonly sent?: (() => void) | undefined;
  /** Default: finds the error bodies of the data services. */
  readonly inspect?: Inspect | undefined;
  /** Whether the parsed body is what was asked for. */
  readonly check?: Check | undefined;
  /** Steps to the parts of the answer that are left unparsed, as RawValues. */
  readonly raw?: readonly string[] | undefined;
  /** The bounds of the answer. Default: those of a page. */
  readonly answer?: AnswerKind | undefined;
}

export interface HttpResponse<T = unknown> {
  /** The parsed JSON; of a call its `result`, of many calls their outcomes in the order of the calls. */
  readonly body: T;
  /** Size after decompression. */
  readonly bytes: number;
  /** Milliseconds since the epoch when the request that succeeded was sent. */
  readonly requestedAt: number;
}

/** A server as requests meet it. */
export interface Server extends Pick<OpenOrigin, 'url' | 'redact' | 'unechoed'> {
  readonly pool: Pick<Dispatcher, 'dispatch'>;
  readonly breaker: Breaker;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly numbers?: Numbers | undefined;
  readonly maxBytes?: number | undefined;
  readonly onHead: OnAnswer | undefined;
  /** What `HttpStats` tells. */
  readonly count: { requests: number; retries: number; bytes: number; wireBytes: number; waitedMs: number };
}

/** One request, on its way through its attempts. */
export interface Job {
  readonly request: HttpRequest;
  readonly exchange: ExchangeRequest;
  /** The request without secrets, for messages. */
  readonly asked: () => string;
  /** The server, and the proxy to it, likewise. */
  readonly at: () => string;
  readonly part: ServerPart;
  readonly signal: AbortSignal | undefined;
}

/** Shared by all sources of the process. */
const room = createRoom(bytesInFlight);

/** Sends when its turn comes: first that of its part, then that of the origin. @param again whether it was sent before */
export async function sendOnce(server: Server, job: Job, again: boolean): Promise<HttpResponse> {
  const { limiter, onHead, count } = server;
  const { request, part, signal } = job;
  count.waitedMs += await part.enter(signal);
  const task = (heard: OnAnswer) => {
    const both: OnAnswer = (status, head) => {
      heard(status, head);
      onHead?.(status, head);
    };
    return room.seated((hold) => attempt(server, job, both, hold));
  };
  try {
    return await limiter.run(request.weight ?? 1, task, { signal, again });
  } finally {
    part.left();
  }
}

async function attempt(server: Server, job: Job, onHead: OnAnswer, hold: HoldBytes): Promise<HttpResponse> {
  const { pool, breaker, clock, timeouts, numbers = 'lossless', maxBytes, redact, unechoed, count } = server;
  const { request, asked, part, signal } = job;
  const most = bounds[request.answer ?? 'page'];
  const ofOrigin = { ...most, bytes: maxBytes ?? most.bytes };
  count.requests += 1;
  request.sent?.();
  const requestedAt = clock.now();
  let answer: Exchange;
  try {
    const whole = await exchange(pool, job.exchange, { clock, timeouts, bounds: ofOrigin, signal, onHead, hold });
    answer = { ...whole, content: unechoed(whole.content) };
  } catch (error) {
    throw noAnswer(breaker, job, error);
  }
  const { length: bytes } = answer.content;
  count.bytes += bytes;
  count.wireBytes += answer.wireBytes;
  const { inspect, check, raw } = request;
  const now = clock.now();
  breaker.answered();
  const checked = checkAnswer(asked, answer, { numbers, raw, bounds: ofOrigin, now, inspect, check, redact });
  if (hasCode(checked, 'unavailable') && answer.status >= 500) part.failed(checked.message);
  else part.answered();
  if (checked instanceof FirnError) throw checked;
  return { body: checked.body, bytes, requestedAt };
}

/** The error of an exchange that failed. A server that cannot be reached counts against the origin, anything else against the part. */
function noAnswer(breaker: Breaker, { asked, at, part }: Job, error: unknown): FirnError {
  const failure = error instanceof FirnError ? readingError(asked(), error) : transportError(asked(), error, at());
  if (isUnreachable(failure)) {
    breaker.failed(failure.message);
    return failure;
  }
  breaker.answered();
  if (failure.code === 'unavailable') part.failed(failure.message);
  else part.answered();
  return failure;
}
