import { retryAfterMs, serverNow } from './retryAfter.ts';

/** What a server says about its limits in the headers of one answer. */
export interface ServerLimits {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  /** Length of the window that `limit` counts in. */
  readonly windowMs?: number;
  /** How long it asks to send nothing. */
  readonly retryAfterMs?: number;
  /** Its own words, where they ask for more than a day and are taken to mean one day. */
  readonly clamped?: string;
}

/** The longest pause that a server is believed to want. More is a wrong clock or unit, and would stop every run for years. */
export const longestPauseMs = 86_400_000;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Above this a reset is a moment (seconds since the epoch), below it a distance in seconds. It may also be a date. */
const epochSeconds = 1_000_000_000;

/**
 * Reads `ratelimit-limit`, `-remaining`, `-reset`, `-policy` (also with the prefix `x-`) and `retry-after`, and `ratelimit`, which has all in one:
 * `limit=100, remaining=50, reset=30`, or `"default";r=50;t=30` with `"default";q=100;w=60` as its policy.
 * In a list such as `100, 100;w=60` the first number counts, and the first `w` is its window; of several quotas in `ratelimit` that counts which leaves least.
 */
export function serverLimits(headers: Headers, now: number): ServerLimits {
  // Most answers say nothing, and what follows takes 1.5 % of the time of a page.
  if (!Object.keys(headers).some((name) => /ratelimit|retry-after/.test(name))) return {};
  const text = (name: string) => {
    const value = headers[name] ?? headers[`x-${name}`];
    return Array.isArray(value) ? value[0] : value;
  };
  const whole = tightest(String(headers['ratelimit'] ?? headers['x-ratelimit'] ?? ''));
  const inOne = (name: string) => parameterOf(whole, name);
  const limitText = text('ratelimit-limit') ?? inOne('limit') ?? parameterOf(text('ratelimit-policy'), 'q');
  const limit = leadingNumber(limitText);
  const remaining = leadingNumber(text('ratelimit-remaining') ?? inOne('remaining|r'));
  const resetText = text('ratelimit-reset') ?? inOne('reset|t');
  const reset = leadingNumber(resetText);
  const window = /;\s*w\s*=\s*(\d+)/i.exec(`${text('ratelimit-policy') ?? ''} ${limitText ?? ''}`)?.[1];
  const after = retryAfterMs(text('retry-after'), text('date'), now);
  const resetIn =
    reset === undefined
      ? retryAfterMs(resetText, text('date'), now)
      : reset >= epochSeconds
        ? Math.max(0, epochMs(reset) - serverNow(text('date'), now))
        : reset * 1_000;
  const [pause = 0, words] = after === undefined ? [resetIn, resetText] : [after, text('retry-after')];
  return {
    ...(limit !== undefined && limit > 0 && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetIn !== undefined && { resetMs: Math.min(resetIn, longestPauseMs) }),
    ...(window !== undefined && Number(window) > 0 && { windowMs: Number(window) * 1_000 }),
    ...(after !== undefined && { retryAfterMs: Math.min(after, longestPauseMs) }),
    ...(pause > longestPauseMs && words !== undefined && { clamped: words }),
  };
}

/**
 * How long an answer of this status asks to send nothing: `retry-after`, or on a 429 without it the reset of the quota. One that is not used up (a
 * day's) is not what such an answer is about.
 */
export function askedPauseMs(status: number, limits: ServerLimits): number | undefined {
  if (status < 300) return undefined;
  const { retryAfterMs, remaining = 0, resetMs } = limits;
  return retryAfterMs ?? (status === 429 && remaining === 0 ? resetMs : undefined);
}

const epochMs = (reset: number): number => (reset >= epochSeconds * 1_000 ? reset : reset * 1_000);

/** Of several quotas the one that leaves least, and of those the one that begins anew last. */
function tightest(ratelimit: string): string {
  const left = (item: string) => Number(parameterOf(item, 'r') ?? Number.POSITIVE_INFINITY);
  const reset = (item: string) => Number(parameterOf(item, 't') ?? 0);
  const items = ratelimit.split(',').filter((item) => Number.isFinite(left(item)));
  return items.sort((a, b) => left(a) - left(b) || reset(b) - reset(a))[0] ?? ratelimit;
}

/** The first value of a parameter of a header. */
const parameterOf = (header: string | undefined, name: string): string | undefined =>
  new RegExp(`(?:^|[;,\\s])(?:${name})\\s*=\\s*(\\d+)`, 'i').exec(header ?? '')?.[1];

/** The number that a text begins with; of a date or a length of time (`1m30s`) there is none. */
function leadingNumber(text: string | undefined): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)(?![\w:.-])/.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
