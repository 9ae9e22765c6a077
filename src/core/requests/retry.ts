import type { ErrorCode, FirnError } from '../firnError.ts';

/** What a failure means and what to do about it. */
export interface Meaning {
  readonly code: ErrorCode;
  /** Whether the same request may succeed when sent again. */
  readonly retryable: boolean;
  /** Whether the server may have carried the request out all the same. */
  readonly acted: boolean;
  /** The end of the sentence a person reads. */
  readonly next: string;
}

const againLater = 'Run again later: what was committed stays, and the next run goes on from there.';
const refusedMeaning: Meaning = {
  code: 'refused',
  retryable: false,
  acted: false,
  next: 'Check the parameters of this stream in the configuration.',
};
const unavailableMeaning: Meaning = { code: 'unavailable', retryable: true, acted: true, next: againLater };
const limitedMeaning: Meaning = { code: 'rate_limited', retryable: true, acted: false, next: againLater };
const wrongKindOfServer =
  'Check the URL of this source in the configuration: another kind of server seems to answer there.';
const notImplemented: Meaning = {
  code: 'not_offered',
  retryable: false,
  acted: false,
  next: 'Leave this stream out of the configuration for this source.',
};

const byStatus: Readonly<Record<number, Meaning>> = {
  401: {
    ...refusedMeaning,
    code: 'unauthorized',
    next: 'Check the key and keyHeader of this source in the configuration; of a node, its headers and URL.',
  },
  402: {
    ...refusedMeaning,
    code: 'unauthorized',
    next: 'Look into the account of the key: its plan is used up, or does not include this.',
  },
  403: {
    ...refusedMeaning,
    code: 'unauthorized',
    next: 'Check that the key of this source may ask for this, and that the server accepts this host name.',
  },
  404: { ...refusedMeaning, code: 'not_found', next: 'Check the URL of this source and what the stream asks for.' },
  405: { ...refusedMeaning, next: wrongKindOfServer },
  408: unavailableMeaning,
  // A client of the hosted services is known to get 409 where 429 is meant.
  409: limitedMeaning,
  413: { ...refusedMeaning, next: 'Ask for less at once.' },
  415: { ...refusedMeaning, next: wrongKindOfServer },
  425: unavailableMeaning,
  429: limitedMeaning,
  501: notImplemented,
  505: notImplemented,
};

/** The meaning of an HTTP status outside 200-299. */
export function statusMeaning(status: number): Meaning {
  const known = byStatus[status];
  if (known) return known;
  if (status >= 500) return unavailableMeaning;
  if (status >= 300 && status < 400) {
    const next =
      'Redirects are not followed, because the key would go along: if that place is right, put it into the configuration as the URL, without the path that firn adds.';
    return { ...refusedMeaning, next };
  }
  return refusedMeaning;
}

/** Why no usable answer came. */
export type TransportReason =
  | 'unreachable'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'plain'
  | 'http2'
  | 'handshake'
  | 'certificate'
  | 'proxy';

type Transport = Meaning & {
  readonly reason: TransportReason;
  /** Whether the name of the host was not found: nobody was asked. */
  readonly isNoHost?: true;
};

const unreachable: Transport = {
  ...unavailableMeaning,
  acted: false,
  next: 'Check that the URL of this source is right and its server runs, then run again.',
  reason: 'unreachable',
};
const noHost: Transport = {
  ...unreachable,
  next: "Check the name in the URL, this machine's DNS, and the proxy where it needs one (HTTPS_PROXY), then run again.",
  isNoHost: true,
};
const timeout: Transport = { ...unavailableMeaning, reason: 'timeout' };
const reset: Transport = { ...unavailableMeaning, reason: 'reset' };
const truncated: Transport = { ...unavailableMeaning, reason: 'truncated' };
const http2: Transport = {
  ...refusedMeaning,
  next: 'firn speaks HTTP/1.1: let the server take that as well, or put a proxy before it that does, and write its URL.',
  reason: 'http2',
};

const byCode: ReadonlyMap<string, Transport> = new Map([
  ['ECONNREFUSED', unreachable],
  ['ENOTFOUND', noHost],
  ['EAI_AGAIN', noHost],
  ['EAI_FAIL', noHost],
  ['ENETDOWN', unreachable],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['EADDRNOTAVAIL', unreachable],
  ['UND_ERR_CONNECT_TIMEOUT', unreachable],
  ['ETIMEDOUT', timeout],
  ['UND_ERR_HEADERS_TIMEOUT', timeout],
  ['UND_ERR_BODY_TIMEOUT', timeout],
  ['FIRN_TOTAL_TIMEOUT', timeout],
  ['ECONNRESET', reset],
  ['ECONNABORTED', reset],
  ['EPIPE', reset],
  ['UND_ERR_SOCKET', reset],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', truncated],
  ['HTTP2_ALONE', http2],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', http2],
]);

/**
 * The meaning of a failed exchange by the code of the error that Node, undici or zlib raised, `PROXY_<status>` for what a proxy said in place of making
 * a way to the server, or `HTTP2_ALONE`; undefined for other errors.
 */
export function transportMeaning(code: string): Transport | undefined {
  const known = byCode.get(code);
  if (known) return known;
  if (/^PROXY_5/.test(code)) return unreachable;
  if (code === 'PROXY_429') return { ...limitedMeaning, reason: 'proxy' };
  if (code === 'PROXY_407') {
    const next =
      'Write its user and password into the variable that names it: HTTPS_PROXY=http://<user>:<password>@host:port.';
    return { ...refusedMeaning, code: 'unauthorized', next, reason: 'proxy' };
  }
  if (code.startsWith('PROXY_')) {
    const next =
      'Ask who runs the proxy to let this host through, or name it in NO_PROXY where it can be reached without one.';
    return { ...refusedMeaning, next, reason: 'proxy' };
  }
  // HPE_*: not HTTP, or cut in the middle; Z_*: compressed data cut or damaged.
  if (code.startsWith('HPE_') || code.startsWith('Z_')) return truncated;
  // What OpenSSL makes of an answer that is HTTP: no certificate was sent.
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST)$/.test(code))
    return { ...refusedMeaning, next: 'Write http:// in the URL of this source.', reason: 'plain' };
  // ERR_SSL_*: the two could not agree, also where the server wants a certificate of the client.
  if (/CERT|UNABLE_TO_/.test(code) && !code.startsWith('ERR_SSL_')) {
    const next =
      "Check the server's certificate and the host name in the URL. One that the server or an authority of your own signed is accepted where the environment variable NODE_EXTRA_CA_CERTS names its file.";
    return { ...refusedMeaning, next, reason: 'certificate' };
  }
  if (/SSL|TLS/.test(code))
    return {
      ...refusedMeaning,
      next: 'Check the URL, and what its server asks of TLS: a version, or a certificate of the client.',
      reason: 'handshake',
    };
  return undefined;
}

export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** A server that asks for a longer wait ends the request. */
  readonly maxWaitMs: number;
  /** How long nothing is sent after a server refused one request too many, and did not say for how long. Most count by the second. */
  readonly holdMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 8,
  baseMs: 250,
  capMs: 30_000,
  maxWaitMs: 300_000,
  holdMs: 1_000,
};

/** Full jitter: anything between nothing and the doubling limit, so that clients that failed together do not return together. */
const backoffMs = (attempt: number, random: number, policy: RetryPolicy): number =>
  random * Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));

/** Keeps retries a fraction of the requests, so that an outage is not answered by a multiple of the load. */
export interface RetryBudget {
  /** Counts a request that succeeded. */
  earn(): void;
  /** Takes one retry, or says that none is left. */
  spend(): boolean;
}

/** @param capacity retries saved up at most, and at the start · @param earned retries that one success gives back */
export function createRetryBudget(capacity = 50, earned = 0.5): RetryBudget {
  let left = capacity;
  return {
    earn() {
      left = Math.min(capacity, left + earned);
    },
    spend() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

export type RetryDecision =
  | { readonly waitMs: number }
  /** `final`: asking again gives the same · `acted`: it may have been carried out, and must not be twice */
  | { readonly stop: 'final' | 'attempts' | 'acted' | 'wait' | 'budget' };

/**
 * Whether a failed request is sent again, and after how long. The error's context may hold `retryAfterMs` (the server's own
 * word: a floor, never cut, and outside the budget) and `acted`.
 *
 * @param attempt how often the request has been sent · @param random 0 <= random < 1
 */
export function decideRetry(
  error: FirnError,
  attempt: number,
  random: number,
  options: { readonly policy: RetryPolicy; readonly budget?: RetryBudget; readonly idempotent: boolean },
): RetryDecision {
  const { policy, budget, idempotent } = options;
  if (!error.retryable) return { stop: 'final' };
  if (!idempotent && error.context.acted !== false) return { stop: 'acted' };
  const asked = error.context.retryAfterMs;
  const floor = asked ?? 0;
  if (floor > policy.maxWaitMs) return { stop: 'wait' };
  if (attempt >= policy.attempts) return { stop: 'attempts' };
  if (asked === undefined && budget?.spend() === false) return { stop: 'budget' };
  return { waitMs: floor + backoffMs(attempt, random, policy) };
}
