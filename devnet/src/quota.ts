import { problem } from './problem.ts';
import type { ServiceRequest, ServiceResponse } from './types.ts';

export interface QuotaOptions {
  /** Compute units a minute and a day, for each service on its own. Absent: no limit. */
  readonly perMinute?: number;
  readonly perDay?: number;
  /** The one key that is accepted; the data service then demands it, the metrics service only refuses another. */
  readonly key?: string;
}

export interface QuotaDecision {
  /** The answer to give instead, or null. */
  readonly refusal: ServiceResponse | null;
  /** Headers for the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Window {
  readonly limit: number;
  readonly seconds: number;
  startedAt: number;
  used: number;
}

/** Weights by path, first match; everything else of the data service costs 20. */
const weights: readonly (readonly [RegExp, number])[] = [
  [/^\/v1\/chains$/, 1],
  [/^\/v1\/operations\/transactions:export$/, 20],
  [/^\/v1\/operations\//, 10],
  [/^\/exports\//, 0],
  [/^\/v1\/networks\/[^/]+\/blockchains\/[^/]+\/(?:transactions|transactions:listStaking|utxos)$/, 100],
  [/^\/v1\/networks\/[^/]+\/rewards(?::listPending)?$/, 100],
  [/^\/v2\/chains\/[^/]+\/metrics\//, 100],
  [/^\/v2\/chains(?:\/[^/]+)?$/, 1],
];

/** Compute units that one request costs. */
export function computeUnits(path: string): number {
  return weights.find(([pattern]) => pattern.test(path))?.[1] ?? 20;
}

/** Counts compute units per service and key in fixed windows, as the hosted services do. `clock` is in milliseconds. */
export function createQuota(
  options: QuotaOptions,
  clock: () => number = Date.now,
): (request: ServiceRequest) => QuotaDecision {
  const buckets = new Map<string, readonly Window[]>();
  const windowsOf = (bucket: string, now: number): readonly Window[] => {
    let windows = buckets.get(bucket);
    if (windows === undefined) {
      const limits = [
        [options.perMinute, 60],
        [options.perDay, 86_400],
      ] as const;
      windows = limits.flatMap(([limit, seconds]) =>
        limit === undefined ? [] : [{ limit, seconds, startedAt: now, used: 0 }],
      );
      buckets.set(bucket, windows);
    }
    for (const window of windows) {
      if (now < window.startedAt + window.seconds * 1000) continue;
      window.startedAt = now;
      window.used = 0;
    }
    return windows;
  };

  return (request) => {
    const given = request.headers['x-service-api-key'] ?? request.headers['x-glacier-api-key'];
    const service = request.path.startsWith('/v2/') ? 'metrics' : 'data';
    // A download's signed URL takes the place of the key.
    const isDownload = request.path.startsWith('/exports/');
    const demanded = options.key !== undefined && !isDownload && (given !== undefined || service === 'data');
    if (demanded && given !== options.key) {
      const message = given === undefined ? 'Missing API key' : 'Invalid API key';
      return { refusal: problem(401, message), headers: {} };
    }
    const now = clock();
    const cost = computeUnits(request.path);
    const windows = windowsOf(`${service} ${given ?? ''}`, now);
    // A fresh window serves even a request that costs more than its limit: otherwise it could never be answered.
    const full = windows.find(({ limit, used }) => used > 0 && used + cost > limit);
    if (full === undefined) for (const window of windows) window.used += cost;
    const told = full ?? windows[0];
    if (told === undefined) return { refusal: null, headers: {} };
    const headers = {
      'ratelimit-policy': `${told.limit};w=${told.seconds}`,
      'ratelimit-limit': String(told.limit),
      'ratelimit-remaining': String(Math.max(0, told.limit - told.used)),
    };
    if (full === undefined) return { refusal: null, headers };
    const seconds = String(Math.ceil((full.startedAt + full.seconds * 1000 - now) / 1000));
    const refusal = problem(429, 'Compute unit limit reached, retry later');
    return { refusal, headers: { ...headers, 'ratelimit-reset': seconds, 'retry-after': seconds } };
  };
}
