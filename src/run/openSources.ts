import { FirnError } from '../core/firnError.ts';
import type { Request, Response } from '../core/request.ts';
import type { RetryPolicy } from '../core/retry.ts';
import type { Source } from '../core/stream.ts';
import { type Contact, createContact } from '../extract/contact.ts';
import { createHttp, type Http, type HttpStats, type Log } from '../extract/http.ts';
import { createJsonRpc, type JsonRpc } from '../extract/jsonRpc.ts';
import type { DailyUsage, Heard } from '../extract/limiter.ts';
import { type Outside, realOutside } from '../extract/outside.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { type Bootstrapping, bootstrappingOf, mayBeBootstrapping } from './bootstrapping.ts';
import type { Fetch } from './fetch.ts';
import { type PauseState, pauseState } from './pauseState.ts';
import { addQuota, readQuota } from './quotaState.ts';
import type { Settings } from './settings.ts';
import { unsetError } from './unsetVariable.ts';

type SourceName = Source['name'];

/** The configured sources, reachable. */
export interface Sources {
  readonly fetch: Readonly<Partial<Record<SourceName, Fetch>>>;
  /** Says of a path of the node that its chain is still bootstrapping, where it is. */
  readonly bootstrapping: Bootstrapping;
  /** Requests, bytes and waits by source. */
  stats(): Partial<Record<SourceName, HttpStats>>;
  /** Drops the connections, and keeps the day's used compute units in the state where it is given. */
  close(warehouse?: Warehouse): Promise<void>;
}

/** How the numbers of each source come: served metrics keep the digits that were served, as text. */
const numbers: Readonly<Record<SourceName, Source['numbers']>> = {
  node: 'lossless',
  data: 'lossless',
  metrics: 'text',
};

export interface OpenSourcesOptions {
  readonly settings: Pick<Settings, 'sources' | 'fromEnvironment'>;
  readonly outside?: Outside | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  /** Where the day's used compute units are read; without it they begin at zero. */
  readonly warehouse?: Warehouse | undefined;
  /** Where the pauses that servers ask for are read and kept. Default: the warehouse's folder. */
  readonly pauses?: PauseState | undefined;
  /** Where it is not the usual policy. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Hears status and headers of every answer. */
  readonly onHead?: ((source: SourceName, ...head: Parameters<Heard>) => void) | undefined;
}

/** One HTTP client with its limiter for each configured source. */
export async function openSources(options: OpenSourcesOptions): Promise<Sources> {
  const { settings, warehouse, outside = realOutside, pauses = warehouse && pauseState(warehouse.folder) } = options;
  const contacts = new Map<string, Contact>();
  const contactOf = (url: string): Contact => {
    const contact = contacts.get(originOf(url)) ?? createContact(outside.clock);
    contacts.set(originOf(url), contact);
    return contact;
  };
  let bootstrapping: Bootstrapping = async () => undefined;
  const clients: Partial<Record<SourceName, Http>> = {};
  const rpcClients: Http[] = [];
  const fetch: Partial<Record<SourceName, Fetch>> = {};
  const before: Partial<Record<SourceName, DailyUsage>> = {};
  for (const name of ['node', 'data', 'metrics'] as const) {
    const origin = settings.sources[name];
    if (!origin) continue;
    const usedToday = warehouse && (await readQuota(warehouse, name));
    if (usedToday) before[name] = usedToday;
    const { signal, log, retry, onHead } = options;
    /** @param nodePath where the node has what this URL alone answers */
    const open = async (url: string, headers: Headers | undefined, nodePath?: string) =>
      createHttp({
        ...outside,
        origin: {
          ...origin,
          url,
          headers,
          secrets: settings.fromEnvironment,
          timeouts: timeoutsOf(origin.timeouts),
          numbers: numbers[name],
        },
        signal,
        log,
        usedToday,
        retry,
        onHead: onHead && ((...head) => onHead(name, ...head)),
        contact: contactOf(url),
        pause: await pauses?.read(name, originOf(url)),
        onPause: pauses && ((pause) => pauses.keep(name, originOf(url), pause)),
        ...(name === 'node' && {
          explain: async (path, error) => (mayBeBootstrapping(error) ? bootstrapping(nodePath ?? path) : undefined),
        }),
      });
    const { rpc: _, ...own } = { rpc: undefined, ...origin };
    const http =
      origin.url === undefined ? undefined : (unsetError(name, own) ?? (await open(origin.url, origin.headers)));
    if (http && !(http instanceof FirnError)) {
      clients[name] = http;
      if (name === 'node') bootstrapping = bootstrappingOf(http.url, createJsonRpc(http, '/ext/info', { batch: 1 }));
    }
    const elsewhere = new Map<string, Http | FirnError>();
    for (const { path, url, headers, isOwn } of name === 'node' ? rpcsOf(settings) : []) {
      const client = unsetError(`${name}, ${path}`, [url, headers]) ?? (await open(url, headers, isOwn ? path : ''));
      if (!(client instanceof FirnError)) rpcClients.push(client);
      elsewhere.set(path, client);
    }
    fetch[name] = createFetch(http, elsewhere);
  }
  return {
    fetch,
    bootstrapping: (path) => bootstrapping(path),
    stats() {
      const ofNode = [clients.node, ...rpcClients].flatMap((http) => (http ? [http.stats()] : []));
      const others = Object.entries(clients).filter(([name]) => name !== 'node');
      return {
        ...(ofNode.length > 0 && { node: summed(ofNode) }),
        ...Object.fromEntries(others.map(([name, http]) => [name, http.stats()])),
      };
    },
    async close(state) {
      for (const name of Object.keys(clients) as SourceName[]) {
        const http = clients[name];
        const usage = http?.usage();
        if (state && usage) await addQuota(state, name, usage, before[name]);
        await http?.close();
      }
      for (const http of rpcClients) await http.close();
    },
  };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);

type Headers = Readonly<Record<string, string>>;

/** Where chains are asked that have an RPC URL of their own. The node's headers may hold a key: another origin must not see it. */
function rpcsOf({ sources: { node } }: Pick<Settings, 'sources'>) {
  return Object.entries(node?.rpc ?? {}).map(([chain, given]) => {
    const { url, headers } = typeof given === 'string' ? { url: given, headers: undefined } : given;
    const isOwn = node?.url === undefined || originOf(url) === originOf(node.url);
    return { path: `/ext/bc/${chain}/rpc`, url, isOwn, headers: headers ?? (isOwn ? node?.headers : undefined) };
  });
}

function summed(all: readonly HttpStats[]): HttpStats {
  const [first, ...others] = all as readonly [HttpStats, ...HttpStats[]];
  const add = (a: HttpStats, b: HttpStats) =>
    Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value + b[name as keyof HttpStats]]));
  return others.reduce((sum, stats) => add(sum, stats) as unknown as HttpStats, first);
}

/** `body` in the configuration is the wait between two pieces of an answer. */
function timeoutsOf(timeouts: { body?: number | undefined } | undefined) {
  if (!timeouts) return undefined;
  const { body, ...rest } = timeouts;
  return { ...rest, ...(body !== undefined && { idle: body }) };
}

/**
 * @param own undefined for a node of which only RPC URLs of single chains are known; an error where it cannot be opened
 * @param elsewhere paths that another server answers, which is then asked at its own URL
 */
function createFetch(own: Http | FirnError | undefined, elsewhere: ReadonlyMap<string, Http | FirnError>): Fetch {
  const rpcs = new Map<string, JsonRpc>();
  const at = (path: string): Http => {
    if (own instanceof FirnError) throw own;
    if (own) return own;
    throw new FirnError(
      'not_offered',
      `${path} is a node's: of this source the configuration names the RPC URLs of single chains only (sources.node.rpc). ` +
        'Add sources.node.url, or leave the stream out.',
    );
  };
  const rpcAt = (path: string): JsonRpc => {
    const known = rpcs.get(path);
    if (known) return known;
    const other = elsewhere.get(path);
    if (other instanceof FirnError) throw other;
    // Only the chains' Ethereum APIs take batches; index, platform, avm and info answer them with an error.
    const batch = path.endsWith('/rpc') ? {} : { batch: 1 };
    const made = other ? createJsonRpc(other, '') : createJsonRpc(at(path), path, batch);
    rpcs.set(path, made);
    return made;
  };
  return async (request: Request, sent): Promise<Response> => {
    switch (request.kind) {
      case 'rpc': {
        const { method, params, check, answer } = request.call;
        return dated(await rpcAt(request.path).call(method, params, { check, answer, sent, raw: request.raw }));
      }
      case 'rpcMany':
        return dated(await rpcAt(request.path).callMany(request.calls, { sent, raw: request.raw }));
      case 'get':
        return dated(await at(request.path).send({ ...request, method: 'GET', sent }));
      case 'post':
        return dated(await at(request.path).send({ ...request, method: 'POST', idempotent: !request.once, sent }));
    }
  };
}

const dated = ({ body, requestedAt, bytes }: { body: unknown; requestedAt: number; bytes: number }): Response => ({
  body,
  fetchedAt: requestedAt,
  bytes,
});
