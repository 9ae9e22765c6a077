import { setMaxListeners } from 'node:events';
import { type AnswerKind, bounds, bytesInFlight } from '../core/bounds.ts';
import { FirnError } from '../core/firnError.ts';
import type { Check, Query } from '../core/request.ts';
import { decideRetry, defaultRetryPolicy, type RetryPolicy } from '../core/retry.ts';
import { finalError, readingError, redactedError, transportError } from './answerError.ts';
import { createBreaker } from './breaker.ts';
import { checkAnswer, type Inspect } from './checkAnswer.ts';
import { type Contact, createContact } from './contact.ts';
import { type Exchange, type ExchangeRequest, exchange, type Timeouts } from './exchange.ts';
import { interruption, throwIfAborted } from './interruption.ts';
import {
  createLimiter,
  type DailyUsage,
  type Limiter,
  type LimiterOptions,
  type OnAnswer,
  type Pause,
} from './limiter.ts';
import { linkedAbort } from './linkedAbort.ts';
import { type Origin, openOrigin } from './origin.ts';
import { type Outside, realOutside } from './outside.ts';
import { createPart, partOf, type ServerPart } from './part.ts';
import { requestTarget } from './requestTarget.ts';
import { requestText } from './requestText.ts';
import { createRoom, type HoldBytes } from './room.ts';
import type { Headers } from './serverLimits.ts';

/** Where retries are reported; a pino logger fits. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
}

export interface HttpOptions extends Partial<Outside> {
  readonly origin: Origin;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  /** Compute units used earlier today, from the state. */
  readonly usedToday?: DailyUsage | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Hears status and headers of every answer. */
  readonly onHead?: OnAnswer | undefined;
  /** Whether the origin can be reached; shared by all clients of one. */
  readonly contact?: Contact | undefined;
  /** What the server asked an earlier run for. */
  readonly pause?: Pause | undefined;
  /** Makes durable until when the server wants no request; what waits for it begins to wait when that is done. */
  readonly onPause?: ((pause: Pause) => Promise<void>) | undefined;
  /** Decides when a request may be sent. Default: for this process alone. */
  readonly limiter?: ((options: LimiterOptions) => Limiter) | undefined;
  /** The part of the server that a path belongs to; it may fail while the others answer. Default: the path without ids. */
  readonly partOf?: ((path: string) => string) | undefined;
  /** What a failure at this path really means, where more is known of the server: thrown in its place, and not tried again. */
  readonly explain?: ((path: string, error: FirnError) => Promise<FirnError | undefined>) | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** Compute units. Default: 1. */
  readonly weight?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** False where carrying the request out twice would be wrong: it is then sent again only if it surely was not carried out. */
  readonly idempotent?: boolean | undefined;
  /** Times it is sent at most, if not as often as the policy says. */
  readonly attempts?: number | undefined;
  /** Told each time it goes out, retries included. */
  readonly sent?: (() => void) | undefined;
  /** Default: finds the error bodies of the data services. */
  readonly inspect?: Inspect | undefined;
  /** Whether the parsed body is what was asked for. */
  readonly check?: Check | undefined;
  /** Steps to what of the answer is left unparsed, as RawValues. */
  readonly raw?: readonly string[] | undefined;
  /** By which the answer is bounded. Default: a page. */
  readonly answer?: AnswerKind | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON. */
  readonly body: unknown;
  /** Size after decompression. */
  readonly bytes: number;
  /** Milliseconds since the epoch when the request that succeeded was sent. */
  readonly requestedAt: number;
}

export interface HttpStats {
  /** Requests sent, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** Bytes of answers after decompression, and on the wire. */
  readonly bytes: number;
  readonly wireBytes: number;
  readonly computeUnits: number;
  /** Milliseconds spent waiting: for limits, and between a failure and the next attempt. */
  readonly waitedMs: number;
  /** Requests that may be under way now. */
  readonly concurrency: number;
}

/**
 * One source over HTTP: keep-alive connections, limits, retries, breaker. Every request either gives JSON or throws a
 * FirnError whose message says what was asked, what came back, and what to do next, without any secret.
 */
export interface Http {
  /** Where requests go, without secrets: for messages. */
  readonly url: string;
  get(path: string, query?: Query, weight?: number): Promise<HttpResponse>;
  post(path: string, query: Query | undefined, body: unknown, weight?: number): Promise<HttpResponse>;
  send(request: HttpRequest): Promise<HttpResponse>;
  stats(): HttpStats;
  /** Compute units used today, to be kept in the state. */
  usage(): DailyUsage;
  /** Drops connections; what is still under way fails. */
  close(): Promise<void>;
}

const defaultTimeouts: Timeouts = { connect: 5_000, headers: 60_000, idle: 30_000, total: 300_000 };
const defaultConcurrency = 8;
/** Of all sources of the process. */
const room = createRoom(bytesInFlight);

/** @throws FirnError `config` when the URL is not valid */
export function createHttp(options: HttpOptions): Http {
  const { origin, log } = options;
  const { clock, random, connect } = withDefaults(realOutside, options);
  const { concurrency = defaultConcurrency, maxBytes, numbers = 'lossless', quota } = origin;
  const { base, url, headers, redact, unechoed } = openOrigin(origin);
  const timeouts = withDefaults(defaultTimeouts, origin.timeouts);
  const policy = withDefaults(defaultRetryPolicy, options.retry);
  const pool = connect(base.origin, { connections: concurrency, timeout: timeouts.connect });
  const breaker = createBreaker({ origin: url, clock });
  const { usedToday, pause, onPause, contact = createContact(clock) } = options;
  pool.on('connect', () => contact.made());
  const parts = new Map<string, ServerPart>();
  const partAt = (path: string): ServerPart => {
    const name = (options.partOf ?? partOf)(path);
    const known = parts.get(name) ?? createPart(createBreaker({ origin: `${url}${name}`, clock }), clock);
    parts.set(name, known);
    return known;
  };
  const limiter = (options.limiter ?? createLimiter)({
    origin: url,
    clock,
    breaker,
    quota,
    usedToday,
    concurrency,
    maxWaitMs: policy.maxWaitMs,
    pause,
    onPause,
  });
  const count = { requests: 0, retries: 0, bytes: 0, wireBytes: 0, waitedMs: 0 };
  // Every request under way listens to it.
  if (options.signal) setMaxListeners(0, options.signal);

  /** Sends once. The outcome is told to the breakers: a server that cannot be reached counts against the origin, anything else against the part. */
  const attempt = async (
    request: HttpRequest,
    sent: ExchangeRequest,
    asked: () => string,
    part: ServerPart,
    signal: AbortSignal | undefined,
    { heard, hold }: { heard: OnAnswer; hold: HoldBytes },
  ): Promise<HttpResponse> => {
    const most = bounds[request.answer ?? 'page'];
    const ofOrigin = { ...most, bytes: Math.min(most.bytes, maxBytes ?? most.bytes) };
    count.requests += 1;
    request.sent?.();
    const requestedAt = clock.now();
    let answer: Exchange;
    try {
      const whole = await exchange(pool, sent, { clock, timeouts, bounds: ofOrigin, signal, onHead: heard, hold });
      answer = { ...whole, content: unechoed(whole.content) };
    } catch (error) {
      if (signal?.aborted) {
        breaker.left();
        part.left();
        throw interruption(signal);
      }
      const failure = error instanceof FirnError ? readingError(asked(), error) : transportError(asked(), error);
      if (isUnreachable(failure)) {
        breaker.failed(failure.message);
        part.left();
        throw failure;
      }
      breaker.answered();
      if (failure.code === 'unavailable') part.failed(failure.message);
      else part.answered();
      throw failure;
    }
    const { length: bytes } = answer.content;
    count.bytes += bytes;
    count.wireBytes += answer.wireBytes;
    const { inspect, check, raw } = request;
    const now = clock.now();
    const checked = checkAnswer(asked, answer, { numbers, raw, bounds: ofOrigin, now, inspect, check, redact });
    breaker.answered();
    if (checked instanceof FirnError && answer.status >= 500) part.failed(checked.message);
    else part.answered();
    if (checked instanceof FirnError) throw checked;
    return { status: answer.status, headers: answer.headers, body: checked.body, bytes, requestedAt };
  };

  /** Waits before the next attempt, or throws the error with which the request ends. */
  const beforeRetry = async (
    cause: unknown,
    attempts: number,
    request: HttpRequest,
    { part, isFirst, signal }: { part: ServerPart; isFirst: boolean; signal: AbortSignal | undefined },
  ): Promise<void> => {
    if (!(cause instanceof FirnError)) throw cause;
    await limiter.noted();
    const error = redactedError(cause, redact);
    const meant = await options.explain?.(request.path, error);
    if (meant) throw meant;
    const decision = decideRetry(error, attempts, random(), {
      policy: { ...policy, attempts: request.attempts ?? policy.attempts },
      budget: part.budget,
      idempotent: request.idempotent ?? true,
    });
    const isFirstTry = isFirst && !contact.isMade() && isUnreachable(error);
    const isOver = isFirstTry && 'waitMs' in decision && !contact.allows(decision.waitMs + timeouts.connect);
    if ('stop' in decision || isOver) {
      const final = finalError(error, attempts, 'stop' in decision ? decision.stop : 'attempts');
      if (isFirstTry) contact.refused(final);
      throw final;
    }
    const { waitMs } = decision;
    // Of a server that is not there the same is to be said of every attempt: once is enough.
    if (!isFirstTry || attempts === 1)
      log?.warn(
        { code: error.code, ...error.context, origin: url, attempt: attempts, waitMs: Math.round(waitMs) },
        `${error.message} Trying again in ${(waitMs / 1_000).toFixed(1)} s.`,
      );
    count.retries += 1;
    count.waitedMs += waitMs;
    await clock.sleep(waitMs, signal);
  };

  /** Sends when its turn comes: first that of its part, then that of the origin. */
  const sendOnce = async (
    request: HttpRequest,
    sent: ExchangeRequest,
    asked: () => string,
    part: ServerPart,
    signal: AbortSignal | undefined,
    again: boolean,
  ): Promise<HttpResponse> => {
    count.waitedMs += await part.enter(signal);
    let isSent = false;
    const task = (heard: OnAnswer) => {
      isSent = true;
      const both: OnAnswer = (status, head) => {
        heard(status, head);
        options.onHead?.(status, head);
      };
      return room.seated((hold) => attempt(request, sent, asked, part, signal, { heard: both, hold }));
    };
    try {
      return await limiter.run(request.weight ?? 1, task, { signal, again });
    } finally {
      if (!isSent) part.left();
    }
  };

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const target = requestTarget(base, request.path, request.query);
    const body = request.body === undefined ? undefined : requestText(request.body);
    const sent = {
      method: request.method,
      target,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body,
    };
    const asked = () => redact(`${request.method} ${base.origin}${target}`);
    const both = request.signal && options.signal ? linkedAbort(options.signal, request.signal) : undefined;
    const signal = both?.signal ?? request.signal ?? options.signal;
    const part = partAt(request.path);
    let isFirst = false;
    try {
      throwIfAborted(signal);
      isFirst = await contact.begin(signal);
      for (let attempts = 1; ; attempts += 1) {
        throwIfAborted(signal);
        try {
          const response = await sendOnce(request, sent, asked, part, signal, attempts > 1);
          part.budget.earn();
          return response;
        } catch (error) {
          await beforeRetry(error, attempts, request, { part, isFirst, signal });
        }
      }
    } catch (error) {
      throw signal?.aborted ? interruption(signal) : error;
    } finally {
      if (isFirst) contact.left();
      both?.unlink();
    }
  };

  return {
    url,
    send,
    get: (path, query, weight) => send({ method: 'GET', path, query, weight }),
    post: (path, query, body, weight) => send({ method: 'POST', path, query, body, weight }),
    stats() {
      const limited = limiter.stats();
      return { ...count, ...limited, waitedMs: count.waitedMs + limited.waitedMs };
    },
    usage: () => limiter.usage(),
    close: () => pool.destroy(),
  };
}

const isUnreachable = ({ context }: FirnError) => context.reason === 'unreachable';

/** Members that are undefined do not overwrite a default. */
function withDefaults<T extends object>(defaults: T, members: Partial<T> = {}): T {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}
