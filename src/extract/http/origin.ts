import { FirnError } from '../../core/firnError.ts';
import type { Numbers } from '../../core/json/parseLossless.ts';
import { defaultKeyHeader } from '../../core/stream/sourceSettings.ts';
import { decoded } from '../../core/text/decoded.ts';
import {
  createEchoFilter,
  createRedactor,
  isSecretHeader,
  isSecretName,
  isSurelyKey,
  keysInPath,
} from '../../core/text/redact.ts';
import { basicAuthorization } from '../connections/basicAuthorization.ts';
import type { Timeouts } from '../exchange/exchange.ts';
import type { Quota } from '../limits/limiterOptions.ts';

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
  /** The most bytes of an answer, after decompression, in place of those that its kind allows. */
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
  /** Hides secrets that an answer echoes before anything of it is read, and changes nothing else of it. */
  unechoed(answer: Buffer): Buffer;
}

/** Shorter values name a chain or a network. */
const shortestSecret = 4;

/** @throws FirnError `config` when the URL is not valid, or neither http nor https */
export function openOrigin(origin: Origin): OpenOrigin {
  const base = URL.canParse(origin.url) ? new URL(origin.url) : undefined;
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:')
    throw new FirnError(
      'config',
      'The url of a source must start with http:// or https:// and name a host. Correct it in the configuration.',
    );
  const secrets = secretsOf(origin, base);
  const maybe = suspected(origin, base);
  const redact = createRedactor([...secrets, ...maybe]);
  return {
    base,
    url: redact(`${base.origin}${base.pathname}`).replace(/\/+$/, ''),
    headers: headersOf(origin, base),
    redact,
    unechoed: createEchoFilter([...secrets, ...maybe.map(decoded).filter(isSurelyKey)]),
  };
}

function headersOf(origin: Origin, base: URL): Record<string, string> {
  const authorization = basicAuthorization(base);
  const named = Object.entries(origin.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'firn',
    ...(authorization && { authorization }),
    ...Object.fromEntries(named),
    ...(origin.key !== undefined && { [(origin.keyHeader ?? defaultKeyHeader).toLowerCase()]: origin.key }),
  };
}

/** Values that are secret because of where they stand. */
function secretsOf(origin: Origin, { username, password, searchParams }: URL): string[] {
  const { key = '', headers = {} } = origin;
  const inHeaders = Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []));
  const inQuery = [...searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  return [
    // `Bearer <secret>`: the secret alone is one too. Servers never see the spaces around it.
    ...[key, ...inHeaders].flatMap((value) => [value, value.trim(), ...value.split(' ').slice(1), ...basicOf(value)]),
    password,
    decoded(password),
    ...(password ? [`${decoded(username)}:${decoded(password)}`] : []),
    ...inQuery,
  ];
}

/** Values that may be secret: those from the environment, and long pieces of a path. Ids and words that answers hold may be among them. */
function suspected(origin: Origin, { pathname, search }: URL): string[] {
  const shown = [`${pathname}${search}`, origin.key ?? '', ...Object.values(origin.headers ?? {})];
  const used = (origin.secrets ?? []).filter((secret) =>
    shown.some((text) => text.includes(secret) || text.includes(encodeURIComponent(secret))),
  );
  return [...keysInPath(pathname), ...used.filter(({ length }) => length >= shortestSecret)];
}

/** User and password of a header `Basic …`, together and alone. */
function basicOf(header: string): string[] {
  const [, encoded] = /^basic ([A-Za-z0-9+/=_-]+)$/i.exec(header) ?? [];
  if (encoded === undefined) return [];
  const both = Buffer.from(encoded, 'base64').toString();
  return [both, both.slice(both.indexOf(':') + 1)];
}
