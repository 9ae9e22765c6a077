import { setMaxListeners } from 'node:events';
import { FirnError, withoutNext } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import type { DailyUsage } from '../../core/requests/dailyUsage.ts';
import { decideRetry, defaultRetryPolicy, type RetryPolicy } from '../../core/requests/retry.ts';
import { isUnanswered } from '../../core/requests/unanswered.ts';
import { finalError, isUnreachable, redactedError } from '../answers/answerError.ts';
import { steadyClock } from '../clock.ts';
import { byProxy } from '../connections/proxyOf.ts';
import type { Timeouts } from '../exchange/exchange.ts';
import { interruption } from '../interruption.ts';
import { createBreaker } from '../limits/breaker.ts';
import { createLimiter, type Limiter, type OnAnswer } from '../limits/limiter.ts';
import type { LimiterOptions } from '../limits/limiterOptions.ts';
import { linkedAbort } from '../linkedAbort.ts';
import { type Contact, createContact } from './contact.ts';
import { createKeyRefusal } from './keyRefusal.ts';
import { type OpenOrigin, type Origin, openOrigin } from './origin.ts';
import { type Outside, realOutside } from './outside.ts';
import { requestTarget } from './requestTarget.ts';
import { requestText } from './requestText.ts';
import { type HttpRequest, type HttpResponse, type Job, type Server, sendOnce } from './sendOnce.ts';
import { createServerParts, type ServerPart } from './serverParts.ts';

export interface HttpOptions extends Partial<Outside>, Pick<LimiterOptions, 'usedToday' | 'pause'> {
  readonly origin: Origin;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Hears status and headers of every answer. */
  readonly onHead?: OnAnswer | undefined;
  /** Whether the origin can be reached; shared by all clients of one. */
  readonly contact?: Contact | undefined;
  /** Decides when a request may be sent. Default: for this process alone. */
  readonly limiter?: ((options: LimiterOptions) => Limiter) | undefined;
  /** The part of the server that a path belongs to; it may fail while the others answer. Default: the path without ids. */
  readonly partOf?: ((path: string) => string) | undefined;
  /** What a failure at this path really means, where more is known of the server: thrown instead, and not tried again. */
  readonly explain?: ((path: string, error: FirnError) => Promise<FirnError | undefined>) | undefined;
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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  send(request: HttpRequest): Promise<HttpResponse>;
  stats(): HttpStats;
  /** Compute units used today, to be kept in the state. */
  usage(): DailyUsage;
  /** Drops connections, and ends what is still under way or waits to be sent again. */
  close(): Promise<void>;
}

const defaultTimeouts: Timeouts = { connect: 5_000, headers: 60_000, idle: 30_000, total: 300_000 };
const defaultConcurrency = 8;

/** What all requests to a server share. */
interface Client extends Server {
  readonly policy: RetryPolicy;
  readonly random: () => number;
  readonly contact: Contact;
  readonly log: Log | undefined;
  readonly explain: HttpOptions['explain'];
}

/** @throws FirnError `config` when the URL is not valid */
export function createHttp(options: HttpOptions): Http {
  const { origin } = options;
  const { clock, random, connect } = withDefaults(realOutside, options);
  const steady = steadyClock(clock);
  const { concurrency = defaultConcurrency, quota, numbers, maxBytes } = origin;
  const opened = openOrigin(origin);
  const { url, base } = opened;
  const reached = { ...opened, via: byProxy(base) };
  const timeouts = withDefaults(defaultTimeouts, origin.timeouts);
  const policy = withDefaults(defaultRetryPolicy, options.retry);
  const pool = connect(base.origin, { connections: concurrency, timeout: timeouts.connect });
  const breaker = createBreaker({ origin: url, clock: steady });
  const { usedToday, pause, onHead, explain, log, contact = createContact(clock) } = options;
  pool.on('connect', () => contact.made());
  const partAt = createServerParts(url, steady, options.partOf);
  const { maxWaitMs, holdMs } = policy;
  const limiter = (options.limiter ?? createLimiter)({
    origin: url,
    clock,
    breaker,
    quota,
    usedToday,
    concurrency,
    maxWaitMs,
    holdMs,
    pause,
  });
  const count = { requests: 0, retries: 0, bytes: 0, wireBytes: 0, waitedMs: 0 };
  const shared = { pool, breaker, limiter, clock, timeouts, numbers, maxBytes, count };
  const client: Client = { ...opened, ...shared, policy, random, contact, onHead, explain, log };
  const life = linkedAbort(options.signal);
  const { signal } = life;
  // Every request under way listens to it.
  setMaxListeners(0, signal);

  const keyRefusal = createKeyRefusal(steady);
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const part = partAt(request.path);
    keyRefusal.check(part);
    try {
      const response = await sendUntilAnswered(client, createJob(reached, request, part, signal));
      keyRefusal.given();
      return response;
    } catch (error) {
      keyRefusal.failed(error, part);
      throw signal.aborted ? interruption(signal) : error;
    }
  };

  return {
    url,
    now: clock.now,
    send,
    stats() {
      const limited = limiter.stats();
      return { ...count, ...limited, waitedMs: count.waitedMs + limited.waitedMs };
    },
    usage: () => limiter.usage(),
    close() {
      life.abort();
      life.unlink();
      return pool.destroy();
    },
  };
}

function createJob(
  { base, headers, redact, via }: OpenOrigin & { readonly via: string },
  request: HttpRequest,
  part: ServerPart,
  signal: AbortSignal | undefined,
): Job {
  const { method } = request;
  const target = requestTarget(base, request.path, request.query);
  const body = request.body === undefined ? undefined : requestText(request.body);
  return {
    request,
    exchange: {
      method,
      target,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body,
    },
    asked: () => redact(`${method} ${base.origin}${target}${via}`),
    at: () => redact(`${base.origin}${via}`),
    part,
    signal,
  };
}

/** Sends until there is an answer, or an error after which it is not sent again. */
async function sendUntilAnswered(client: Client, job: Job): Promise<HttpResponse> {
  const { signal, part } = job;
  const isFirst = await client.contact.begin(signal);
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        const response = await sendOnce(client, job, attempts > 1);
        part.budget.earn();
        return response;
      } catch (error) {
        await beforeRetry(client, job, { error, attempts, isFirst });
      }
    }
  } finally {
    if (isFirst) client.contact.left();
  }
}

/** Waits before the next attempt, or throws the error with which the request ends. */
async function beforeRetry(
  { url, limiter, clock, redact, timeouts, count, policy, random, contact, log, explain }: Client,
  { request, part, signal }: Job,
  { error: cause, attempts, isFirst }: { error: unknown; attempts: number; isFirst: boolean },
): Promise<void> {
  if (!(cause instanceof FirnError)) throw cause;
  await limiter.noted();
  const error = redactedError(cause, redact);
  const meant = await explain?.(request.path, error);
  if (meant) throw meant;
  const isTooMuch = request.divisible && (error.code === 'rate_limited' || isUnanswered(error));
  const most = isTooMuch ? 1 : (request.attempts ?? policy.attempts);
  const decision = decideRetry(error, attempts, random(), {
    policy: { ...policy, attempts: most },
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
  const { next, ...facts } = error.context;
  // Every attempt at a server that is not there fails the same way: it is said once.
  if (!isFirstTry || attempts === 1)
    log?.warn(
      { code: error.code, ...facts, origin: url, attempt: attempts, waitMs: Math.round(waitMs) },
      `${withoutNext(error)} Trying again in ${(waitMs / 1_000).toFixed(1)} s.`,
    );
  count.retries += 1;
  count.waitedMs += waitMs;
  await clock.sleep(waitMs, signal);
}

/** Members that are undefined do not overwrite a default. */
function withDefaults<T extends object>(defaults: T, members: Partial<T> = {}): T {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}
