import { gzipSync } from 'node:zlib';
import { Dispatcher, errors } from 'undici';
import type { FaultName, Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { SimClock } from './simClock.ts';

/** Requests of one run: more are paging without an end. */
const mostRequests = 20_000;

export interface Sent {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Whoever answers at all origins. */
export interface Answering {
  answer(method: string, target: string, body: string): Sent;
}

type Handler = Dispatcher.DispatchHandler;

/** How answers fail on their way, or in the place of an answer. */
const lineFaults = [
  'reset',
  'resetInBody',
  'stall',
  'stallInBody',
  'trickle',
  'truncated',
  'cutJson',
  'html',
  'emptyBody',
  'errorBody',
  'redirect',
  'status500',
  'status502Html',
] as const satisfies readonly FaultName[];

const pauses = [
  'retryAfterSeconds',
  'retryAfterDate',
  'retryAfterOldDate',
  'retryAfterPast',
  'retryAfterGarbage',
  'retryAfterNone',
  'retryAfterLong',
  'rateLimitReset',
  'rateLimitEpoch',
  'rateLimitList',
  'rateLimitItem',
  'unavailableRetryAfter',
] as const satisfies readonly FaultName[];

const page = '<html><body>502 Bad Gateway</body></html>';
const problem = (status: number) => JSON.stringify({ message: 'injected fault', error: 'Error', statusCode: status });

/** A network of one service and one node that answers from memory, late, badly or not at all. */
export class Network {
  /** Until when nobody is there. */
  outageUntil = 0;
  /** Until when no key is accepted, and the status that says so. */
  refusedKey = { until: 0, status: 403 };
  /** Requests of this run. */
  requests = 0;
  /** What it saw that must never be. */
  readonly offences: string[] = [];
  /** Told of each request before it is answered. */
  onRequest: () => void = () => {};
  /** Whether the process that asks is gone. */
  isDead: () => boolean = () => false;
  readonly #services: Answering;
  readonly #faults: Faults;
  readonly #random: Random;
  readonly #clock: SimClock;
  /** Until when an origin wants no request, and when it said so. */
  readonly #pauses = new Map<string, { readonly saidAt: number; readonly until: number }>();
  /** What a proxy has kept, by what was asked. */
  readonly #kept = new Map<string, Sent[]>();

  constructor(services: Answering, faults: Faults, random: Random, clock: SimClock) {
    this.#services = services;
    this.#faults = faults;
    this.#random = random;
    this.#clock = clock;
  }

  connect = (origin: string): Dispatcher =>
    new MemoryDispatcher(new URL(origin), (options, handler) => this.#dispatch(origin, options, handler));

  /** A process that is killed in the moment in which it hears of a pause cannot have kept it; nor is one held by a clock that is set. */
  forgetPauses(saidSince: number): void {
    for (const [origin, { saidAt }] of this.#pauses) if (saidAt >= saidSince) this.#pauses.delete(origin);
  }

  #dispatch(origin: string, options: Dispatcher.DispatchOptions, handler: Handler) {
    const now = this.#clock.true;
    this.requests++;
    if (this.requests === mostRequests) this.offences.push(`one run sends more than ${mostRequests} requests`);
    const pause = this.#pauses.get(origin);
    if (pause && now < pause.until && !this.isDead()) {
      this.offences.push(
        `${origin} is asked ${pause.until - now} ms before the end of its Retry-After: ${options.method} ${options.path}`,
      );
    }
    const exchange = new Exchange(handler, this.#clock);
    if (exchange.isOver) return;
    if (this.isDead() || this.requests > mostRequests) return exchange.fail(resetError());
    if (now < this.outageUntil)
      return exchange.later(1, () => exchange.fail(coded(new Error(`connect ECONNREFUSED ${origin}`), 'ECONNREFUSED')));
    if (this.#faults.hit('clockStep')) {
      this.#clock.skew += this.#random.between(-7200, 7200) * 1000;
      this.forgetPauses(0);
    }
    const line = this.#faults.oneOf(lineFaults);
    if (line === 'reset') return exchange.later(this.#latency(), () => exchange.fail(resetError()));
    if (line === 'stall')
      return exchange.later(options.headersTimeout ?? 300_000, () => exchange.fail(new errors.HeadersTimeoutError()));
    exchange.later(this.#latency(), () => {
      this.onRequest();
      if (this.isDead()) return exchange.fail(resetError());
      const answer = this.#paused(origin) ?? this.#instead(line) ?? this.#proxied(origin, options);
      this.#deliver(exchange, answer, line, options);
    });
  }

  /** As the service answers, or as a proxy before it kept what it answered to the same question. */
  #proxied(origin: string, { method, path, body }: Dispatcher.DispatchOptions): Sent {
    const asked = `${method} ${origin}${path}`;
    const kept = this.#kept.get(asked) ?? [];
    if (kept.length > 0 && this.#faults.hit('staleAnswer')) return this.#random.pick(kept);
    const answer = this.#services.answer(method, path, String(body ?? ''));
    if (answer.status !== 200) return answer;
    if (method === 'GET') this.#kept.set(asked, [...kept, answer].slice(-5));
    if (!this.#faults.hit('quotaSpent')) return answer;
    const now = this.#clock.true;
    const seconds = this.#told(origin) ?? this.#random.between(1, 90);
    this.#pause(origin, now + seconds * 1000);
    return { ...answer, headers: { ...answer.headers, ratelimit: `"default";r=0;t=${seconds}` } };
  }

  /** Seconds to the end of a pause that was asked for: what is answered meanwhile asks for no other one. */
  #told(origin: string): number | undefined {
    const left = (this.#pauses.get(origin)?.until ?? 0) - this.#clock.true;
    return left > 0 ? Math.ceil(left / 1000) : undefined;
  }

  #pause(origin: string, until: number): void {
    if (until > (this.#pauses.get(origin)?.until ?? 0)) this.#pauses.set(origin, { saidAt: this.#clock.true, until });
  }

  #latency = () => this.#random.between(5, 400);

  /** An answer that asks for a pause, which begins now. */
  #paused(origin: string): Sent | undefined {
    const form = this.#faults.oneOf(pauses);
    if (!form) return undefined;
    const now = this.#clock.true;
    const seconds = form === 'retryAfterLong' ? this.#random.between(301, 7200) : this.#random.between(1, 90);
    const ms = (this.#told(origin) ?? seconds) * 1000;
    const date = new Date(now).toUTCString();
    // A moment is told in whole seconds, and counts from the server's own clock.
    const moment = Math.floor(now / 1000) * 1000 + ms;
    const forms: Record<(typeof pauses)[number], { readonly until: number; readonly headers: Record<string, string> }> =
      {
        retryAfterSeconds: { until: now + ms, headers: { 'retry-after': String(ms / 1000) } },
        retryAfterDate: { until: moment, headers: { date, 'retry-after': new Date(moment).toUTCString() } },
        retryAfterOldDate: {
          until: moment,
          headers: { date, 'retry-after': this.#random.pick([asctime, rfc850])(moment) },
        },
        retryAfterPast: { until: 0, headers: { date, 'retry-after': new Date(now - ms).toUTCString() } },
        retryAfterGarbage: {
          until: 0,
          headers: { 'retry-after': this.#random.pick(['soon', '-5', '', '1e9', 'NaN']) },
        },
        retryAfterNone: { until: 0, headers: {} },
        retryAfterLong: { until: now + ms, headers: { 'retry-after': String(ms / 1000) } },
        rateLimitReset: {
          until: now + ms,
          headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': String(ms / 1000) },
        },
        // A moment without the server's date is one of the asking clock.
        rateLimitEpoch: {
          until: this.#clock.skew === 0 ? moment : 0,
          headers: { 'x-ratelimit-reset': String(moment / 1000) },
        },
        rateLimitList: { until: now + ms, headers: { ratelimit: `limit=60, remaining=0, reset=${ms / 1000}` } },
        rateLimitItem: {
          until: now + ms,
          headers: {
            'ratelimit-policy': '"burst";q=10;w=1',
            ratelimit: `"burst";r=9;t=1, "minutes";r=0;t=${ms / 1000}`,
          },
        },
        unavailableRetryAfter: { until: now + ms, headers: { 'retry-after': String(ms / 1000) } },
      };
    const { until, headers } = forms[form];
    this.#pause(origin, until);
    const status = form === 'unavailableRetryAfter' ? 503 : 429;
    return { status, headers, body: problem(status) };
  }

  #instead(line: (typeof lineFaults)[number] | undefined): Sent | undefined {
    const { until, status } = this.refusedKey;
    if (this.#clock.true < until) return { status, body: problem(status) };
    switch (line) {
      case 'redirect':
        return { status: 302, body: page, headers: { 'content-type': 'text/html', location: 'http://login.sim/' } };
      case 'html':
        return { status: 200, body: page, headers: { 'content-type': 'text/html' } };
      case 'emptyBody':
        return { status: 200, body: '' };
      case 'errorBody':
        return { status: 200, body: problem(500) };
      case 'status500':
        return { status: 500, body: problem(500) };
      case 'status502Html':
        return { status: 502, body: page, headers: { 'content-type': 'text/html' } };
      default:
        return undefined;
    }
  }

  #deliver(
    exchange: Exchange,
    { status, headers, body }: Sent,
    line: FaultName | undefined,
    options: Dispatcher.DispatchOptions,
  ) {
    const isCompressed = this.#faults.hit('compressed');
    const whole = isCompressed ? gzipSync(body) : Buffer.from(body);
    const bytes = line === 'cutJson' ? whole.subarray(0, Math.max(0, whole.length - 2)) : whole;
    exchange.head(status, {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      ...headers,
    });
    const half = bytes.subarray(0, bytes.length / 2);
    switch (line) {
      case 'resetInBody':
        exchange.data(half);
        return exchange.later(1, () => exchange.fail(resetError()));
      case 'truncated':
        exchange.data(half);
        return exchange.later(1, () => exchange.fail(new errors.ResponseContentLengthMismatchError()));
      case 'stallInBody':
        exchange.data(half);
        return exchange.later(options.bodyTimeout ?? 300_000, () => exchange.fail(new errors.BodyTimeoutError()));
      case 'trickle': {
        // A byte now and then: never silent, and never done.
        const drip = () => {
          exchange.data(Buffer.from(' '));
          exchange.later(20_000, drip);
        };
        drip();
        return;
      }
      default:
        exchange.data(bytes);
        return exchange.end();
    }
  }
}

class MemoryDispatcher extends Dispatcher {
  readonly #origin: URL;
  readonly #send: (options: Dispatcher.DispatchOptions, handler: Handler) => void;
  #isConnected = false;

  constructor(origin: URL, send: (options: Dispatcher.DispatchOptions, handler: Handler) => void) {
    super();
    this.#origin = origin;
    this.#send = send;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    if (!this.#isConnected) this.emit('connect', this.#origin, [this]);
    this.#isConnected = true;
    this.#send(options, handler);
    return true;
  }

  override close = async (): Promise<void> => {};
  override destroy = async (): Promise<void> => {};
}

/** One request on its way, as undici tells of it. */
class Exchange implements Dispatcher.DispatchController {
  readonly aborted = false;
  readonly paused = false;
  readonly reason = null;
  isOver = false;
  readonly #handler: Handler;
  readonly #clock: SimClock;
  #callOff = () => {};

  constructor(handler: Handler, clock: SimClock) {
    this.#handler = handler;
    this.#clock = clock;
    handler.onRequestStart?.(this, undefined);
  }

  abort = (reason: Error) => this.fail(reason);
  pause(): void {}
  resume(): void {}

  later(ms: number, act: () => void): void {
    if (!this.isOver) this.#callOff = this.#clock.after(ms, act);
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.isOver) this.#handler.onResponseStart?.(this, status, headers);
  }

  data(bytes: Buffer): void {
    if (!this.isOver && bytes.length > 0) this.#handler.onResponseData?.(this, Buffer.from(bytes));
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#handler.onResponseEnd?.(this, {});
  }

  fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#callOff();
    this.#clock.stir();
    this.#handler.onResponseError?.(this, error);
  }
}

const coded = (error: Error, code: string) => Object.assign(error, { code });
const resetError = () => coded(new Error('read ECONNRESET'), 'ECONNRESET');

/** `Sun Nov  6 08:49:37 1994` */
const asctime = (at: number) => {
  const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(new Date(at).toUTCString()) ?? [];
  return `${day} ${month} ${date?.replace(/^0/, ' ')} ${time} ${year}`;
};
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const rfc850 = (at: number) => {
  const [, , date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(new Date(at).toUTCString()) ?? [];
  const day = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(at);
  return `${day}, ${date}-${month}-${year?.slice(2)} ${time} GMT`;
};
