import { FirnError } from '../core/firnError.ts';
import type { Numbers } from '../core/parseLossless.ts';
import { createRedactor, isSecretHeader, isSecretName, keysInPath } from '../core/redact.ts';
import type { Timeouts } from './exchange.ts';
import type { Quota } from './limiter.ts';

/** How to reach one source. */
export interface Origin {
  /** With a path or query of its own if need be; user and password in it are sent as basic authorization. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly keyHeader?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Values that are secret where they stand in a header, or in the URL's path or query. */
  readonly secrets?: readonly string[] | undefined;
  readonly quota?: Quota | undefined;
  /** Requests under way at most. */
  readonly concurrency?: number | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Size of an answer at most, after decompression. */
  readonly maxBytes?: number | undefined;
  /** How number literals in answers come back. */
  readonly numbers?: Numbers | undefined;
}

export interface OpenOrigin {
  readonly base: URL;
  /** For messages: scheme, host and path, without secrets and without a slash at the end. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Hides every secret of this origin in a text. */
  redact(text: string): string;
}

/** What is shorter names a chain or a network. */
const SHORTEST_SECRET = 4;
const DEFAULT_KEY_HEADER = 'x-service-api-key';

/** @throws FirnError `config` when the URL is none, or is no http or https URL */
export function openOrigin(origin: Origin): OpenOrigin {
  const base = URL.canParse(origin.url) ? new URL(origin.url) : undefined;
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:') {
    throw new FirnError(
      'config',
      'The url of a source must start with http:// or https://. Correct it in the configuration.',
    );
  }
  const redact = createRedactor(secretsOf(origin, base));
  return {
    base,
    url: redact(`${base.origin}${base.pathname}`).replace(/\/+$/, ''),
    headers: headersOf(origin, base),
    redact,
  };
}

function headersOf(origin: Origin, { username, password }: URL): Record<string, string> {
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const named = Object.entries(origin.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'firn',
    ...(`${username}${password}` !== '' && { authorization: `Basic ${basic}` }),
    ...Object.fromEntries(named),
    ...(origin.key !== undefined && { [(origin.keyHeader ?? DEFAULT_KEY_HEADER).toLowerCase()]: origin.key }),
  };
}

function secretsOf(origin: Origin, { password, pathname, search, searchParams }: URL): string[] {
  // `Bearer <secret>`: the secret alone is one too.
  const inHeaders = Object.entries(origin.headers ?? {}).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value, ...value.split(' ').slice(1)] : [],
  );
  const inQuery = [...searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  const shown = [`${pathname}${search}`, ...Object.values(origin.headers ?? {})];
  const used = (origin.secrets ?? []).filter((secret) =>
    shown.some((text) => text.includes(secret) || text.includes(encodeURIComponent(secret))),
  );
  return [
    origin.key ?? '',
    password,
    decodeURIComponent(password),
    ...inHeaders,
    ...inQuery,
    ...keysInPath(pathname),
    ...used.filter(({ length }) => length >= SHORTEST_SECRET),
  ];
}
