import { FirnError } from '../../core/firnError.ts';
import { unsetError } from '../../core/input/unsetVariable.ts';
import type { AskedPause } from '../../core/requests/askedPause.ts';
import type { Response } from '../../core/requests/request.ts';
import type { Source } from '../../core/stream/source.ts';
import { keyHeaderAt, type SourceSettings } from '../../core/stream/sourceSettings.ts';
import type { Clock } from '../../extract/clock.ts';
import type { Timeouts } from '../../extract/exchange/exchange.ts';
import { type Contact, createContact } from '../../extract/http/contact.ts';
import { createHttp, type Http, type HttpOptions, type HttpStats } from '../../extract/http/http.ts';
import { type Outside, realOutside } from '../../extract/http/outside.ts';
import { createAskedPause, type ServerPause } from '../../extract/limits/askedPause.ts';
import type { Limiter, OnAnswer } from '../../extract/limits/limiter.ts';
import type { LimiterOptions } from '../../extract/limits/limiterOptions.ts';
import { type PauseState, pauseState } from '../../load/bookkeeping/pauseState.ts';
import { quotaKeeper, readQuota } from '../../load/bookkeeping/quotaState.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Settings } from '../settings.ts';
import { createFetch } from './createFetch.ts';
import { answer, type Fetch, type Fetches } from './drive.ts';

/** Says what a failure at a path of a source really means, where the server is not ready yet. */
export type NotReady = (source: Source, path: string, error: FirnError) => Promise<FirnError | undefined>;

/** The configured sources, reachable. */
export interface Sources {
  readonly fetch: Fetches;
  readonly notReady: NotReady;
  /** Requests, bytes and waits by source. */
  stats(): Partial<Record<string, HttpStats>>;
  /** Drops the connections, and keeps the day's used compute units in the state where it is given. */
  close(warehouse?: Warehouse): Promise<void>;
}

export interface OpenSourcesOptions extends Pick<HttpOptions, 'signal' | 'log' | 'retry'> {
  readonly settings: Pick<Settings, 'sources' | 'fromEnvironment'>;
  /** The sources that are declared; those of them that are configured are opened. */
  readonly sources: readonly Source[];
  readonly outside?: Outside | undefined;
  /** Where the day's used compute units are read; without it they begin at zero. */
  readonly warehouse?: Warehouse | undefined;
  /** Where the pauses that servers ask for are read and kept. Default: the warehouse's folder. */
  readonly pauses?: PauseState | undefined;
  /** Makes the limiter of an origin that is asked with a key. Default: one for this process alone. */
  readonly limiter?: ((options: LimiterOptions, key: string | undefined) => Limiter) | undefined;
  /** Hears status and headers of every answer. */
  readonly onHead?: ((source: string, ...head: Parameters<OnAnswer>) => void) | undefined;
}

/** What was opened for one source: its own server, and those that answer single paths in its place. */
interface Opened {
  readonly source: Source;
  readonly fetch: Fetch;
  readonly notReady: (path: string, error: FirnError) => Promise<FirnError | undefined>;
  readonly clients: readonly Http[];
  /** Keeps what its own server's quota has given. */
  readonly keepQuota: ((state: Warehouse) => Promise<void>) | undefined;
}

/** One HTTP client with its limiter for each server of each configured source. */
export async function openSources(options: OpenSourcesOptions): Promise<Sources> {
  const contacts = new Map<string, Contact>();
  const contactOf = (url: string): Contact => {
    const contact = contacts.get(originOf(url)) ?? createContact((options.outside ?? realOutside).clock);
    contacts.set(originOf(url), contact);
    return contact;
  };
  const opened: Opened[] = [];
  for (const source of options.sources) {
    const given = options.settings.sources[source.name];
    if (given) opened.push(await openSource(source, given, options, contactOf));
  }
  const byName = new Map(opened.map((one) => [one.source.name, one]));
  return {
    fetch: Object.fromEntries(opened.map(({ source, fetch }) => [source.name, fetch])),
    notReady: async ({ name }, path, error) => byName.get(name)?.notReady(path, error),
    stats: () =>
      Object.fromEntries(
        opened.flatMap(({ source, clients }) =>
          clients.length > 0 ? [[source.name, summed(clients.map((http) => http.stats()))]] : [],
        ),
      ),
    async close(state) {
      for (const { clients } of opened) for (const http of clients) await http.close();
      // It may be refused by the disk: then nothing is left open.
      if (state) for (const { keepQuota } of opened) await keepQuota?.(state);
    },
  };
}

async function openSource(
  source: Source,
  given: SourceSettings,
  options: OpenSourcesOptions,
  contactOf: (url: string) => Contact,
): Promise<Opened> {
  const { warehouse, pauses = warehouse && pauseState(warehouse.folder) } = options;
  const { name } = source;
  const { clock } = options.outside ?? realOutside;
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const usedToday = warehouse && (await readQuota(warehouse, name, today));
  const clients: Http[] = [];
  const pauseOf = pausesOf(name, pauses);
  const explaining = createExplaining();
  const { own, elsewhere } = await openServers(source, given, async (url, headers, at) => {
    const explain: HttpOptions['explain'] = async (path, error) =>
      explaining.has(path) ? undefined : notReady(at ?? path, error);
    const how = { usedToday, contact: contactOf(url), pause: await pauseOf(originOf(url)), explain };
    const http = createHttp(httpOptions(source, { ...given, url, headers }, options, how));
    clients.push(http);
    return http;
  });
  const client = own instanceof FirnError ? undefined : own;
  const keepQuota = client && quotaKeeper(name, () => client.usage(), usedToday);
  const asked = createFetch(source, own, elsewhere);
  const isCounted = warehouse && keepQuota && given.quota?.perDay !== undefined;
  const fetch = isCounted ? nowAndThen(asked, clock, () => keepQuota(warehouse)) : asked;
  const askOnce = rememberAnswers(fetch, clock);
  const notReady: Opened['notReady'] = async (path, error) => {
    if (!client || !source.notReady) return undefined;
    const asking = source.notReady(path, error, client.url);
    return explaining.during(path, () => answer(asking, askOnce));
  };
  return { source, fetch, notReady, clients, keepQuota };
}

/** The servers of a source: its own, undefined where only those of single paths are known, and these; errors in the place of what cannot be opened. */
interface Servers {
  readonly own: Http | FirnError | undefined;
  readonly elsewhere: ReadonlyMap<string, Http | FirnError>;
}

/** @param open is given the source's path that the URL alone answers, and '' where that is at another server */
async function openServers(
  source: Source,
  given: SourceSettings,
  open: (url: string, headers: SourceSettings['headers'], at?: string) => Promise<Http>,
): Promise<Servers> {
  const { name } = source;
  const { url: ownUrl, headers: ownHeaders, key, keyHeader } = given;
  const own =
    ownUrl === undefined
      ? undefined
      : (unsetError(name, [ownUrl, ownHeaders, key, keyHeader]) ?? (await open(ownUrl, ownHeaders)));
  const elsewhere = new Map<string, Http | FirnError>();
  for (const { path, url, headers } of source.elsewhere?.(given) ?? []) {
    // The source's headers may hold a key: another origin must not see it.
    const isOwn = ownUrl === undefined || originOf(url) === originOf(ownUrl);
    const sent = headers ?? (isOwn ? ownHeaders : undefined);
    elsewhere.set(path, unsetError(`${name}, ${path}`, [url, sent]) ?? (await open(url, sent, isOwn ? path : '')));
  }
  return { own, elsewhere };
}

/** Of which paths it is being asked why they failed: what is asked for that is asked at such a path, too, and must not wait for itself. */
function createExplaining() {
  /** How many explanations of a path are under way: the first to end must not leave the others without their mark. */
  const underWay = new Map<string, number>();
  const mark = (path: string, by: number) => underWay.set(path, (underWay.get(path) ?? 0) + by);
  return {
    has: (path: string): boolean => (underWay.get(path) ?? 0) > 0,
    async during<T>(path: string, work: () => Promise<T>): Promise<T> {
      mark(path, 1);
      try {
        return await work();
      } finally {
        mark(path, -1);
      }
    },
  };
}

/** The pauses of a source by origin, as they are kept: what one URL was asked for holds for the others. */
function pausesOf(source: string, kept: PauseState | undefined): (origin: string) => Promise<ServerPause> {
  const pauses = new Map<string, ServerPause>();
  return async (origin) => {
    const onPause = kept && ((pause: AskedPause) => kept.keep(source, origin, pause));
    const pause = pauses.get(origin) ?? createAskedPause(await kept?.read(source, origin), onPause);
    pauses.set(origin, pause);
    return pause;
  };
}

/** How one server of a source is asked. */
function httpOptions(
  { name, numbers, partOf, hosted }: Source,
  given: SourceSettings & { readonly url: string },
  options: OpenSourcesOptions,
  how: Pick<HttpOptions, 'usedToday' | 'contact' | 'pause' | 'explain'>,
): HttpOptions {
  const { settings, signal, log, retry, onHead, limiter } = options;
  const secrets = settings.fromEnvironment;
  const keyHeader = keyHeaderAt(given, hosted);
  return {
    ...options.outside,
    ...how,
    origin: { ...given, keyHeader, secrets, timeouts: timeoutsOf(given.timeouts), numbers },
    signal,
    log,
    retry,
    onHead: onHead && ((...head) => onHead(name, ...head)),
    limiter: limiter && ((of) => limiter(of, given.key)),
    partOf,
  };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);

/** What a process that is killed has spent since is not counted, in milliseconds. */
const keptEveryMs = 30_000;

/** Does something after a request, where that is long ago. Where it fails, the end does it again, and tells. */
function nowAndThen(fetch: Fetch, clock: Clock, action: () => Promise<void>): Fetch {
  let doneAt = clock.now();
  return async (request, sent) => {
    try {
      return await fetch(request, sent);
    } finally {
      if (clock.now() - doneAt >= keptEveryMs) {
        doneAt = clock.now();
        action().catch(() => {});
      }
    }
  };
}

/** How long an answer holds, in milliseconds: many failures at once ask one question, but a node may restart in the middle of a run. */
const freshMs = 10_000;

/** Sends a request that was just sent not again. */
function rememberAnswers(fetch: Fetch, clock: Clock): Fetch {
  const asked = new Map<string, { readonly answer: Promise<Response>; readonly at: number }>();
  return (request) => {
    const key = JSON.stringify(request);
    const known = asked.get(key);
    if (known && clock.now() - known.at < freshMs) return known.answer;
    const answer = fetch(request);
    asked.set(key, { answer, at: clock.now() });
    return answer;
  };
}

function summed(all: readonly HttpStats[]): HttpStats {
  const [first, ...others] = all as readonly [HttpStats, ...HttpStats[]];
  const add = (a: HttpStats, b: HttpStats) =>
    Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value + b[name as keyof HttpStats]]));
  return others.reduce((sum, stats) => add(sum, stats) as unknown as HttpStats, first);
}

/** `body` in the configuration is the wait between two pieces of an answer. */
function timeoutsOf(timeouts: SourceSettings['timeouts']) {
  if (!timeouts) return undefined;
  const { body, ...rest } = timeouts;
  return { ...rest, ...(body !== undefined && { idle: body }) } as Partial<Timeouts>;
}
