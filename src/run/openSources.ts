import type { Request, Response } from '../core/request.ts';
import type { Source } from '../core/stream.ts';
import { createHttp, type Http, type HttpStats, type Log } from '../extract/http.ts';
import { createJsonRpc, type JsonRpc } from '../extract/jsonRpc.ts';
import type { DailyUsage } from '../extract/limiter.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Fetch } from './fetch.ts';
import { addQuota, readQuota } from './quotaState.ts';
import type { Settings } from './settings.ts';

type SourceName = Source['name'];

/** The configured sources, reachable. */
export interface Sources {
  readonly fetch: Readonly<Partial<Record<SourceName, Fetch>>>;
  /** Requests, bytes and waits by source. */
  stats(): Partial<Record<SourceName, HttpStats>>;
  /** Drops the connections, and keeps the day's used compute units in the state where it is given. */
  close(warehouse?: Warehouse): Promise<void>;
}

export interface OpenSourcesOptions {
  readonly settings: Settings;
  readonly numbers: Readonly<Record<SourceName, Source['numbers']>>;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  /** Where the day's used compute units are read; without it they begin at zero. */
  readonly warehouse?: Warehouse | undefined;
}

/** One HTTP client with its limiter for each configured source. */
export async function openSources(options: OpenSourcesOptions): Promise<Sources> {
  const { settings, warehouse } = options;
  const clients: Partial<Record<SourceName, Http>> = {};
  const rpcClients: Http[] = [];
  const fetch: Partial<Record<SourceName, Fetch>> = {};
  const before: Partial<Record<SourceName, DailyUsage>> = {};
  for (const name of ['node', 'data', 'metrics'] as const) {
    const origin = settings.sources[name];
    if (!origin) continue;
    const usedToday = warehouse && (await readQuota(warehouse, name));
    if (usedToday) before[name] = usedToday;
    const { signal, log } = options;
    const open = (url: string) =>
      createHttp({
        origin: { ...origin, url, timeouts: timeoutsOf(origin.timeouts), numbers: options.numbers[name] },
        signal,
        log,
        usedToday,
      });
    const http = open(origin.url);
    clients[name] = http;
    const elsewhere = new Map<string, Http>();
    for (const [chain, url] of Object.entries(settings.sources.node?.rpc ?? {})) {
      if (name !== 'node') break;
      const client = open(url);
      rpcClients.push(client);
      elsewhere.set(`/ext/bc/${chain}/rpc`, client);
    }
    fetch[name] = createFetch(http, elsewhere);
  }
  return {
    fetch,
    stats: () => Object.fromEntries(Object.entries(clients).map(([name, http]) => [name, http.stats()])),
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

/** `body` in the configuration is the wait between two pieces of an answer. */
function timeoutsOf(timeouts: { body?: number | undefined } | undefined) {
  if (!timeouts) return undefined;
  const { body, ...rest } = timeouts;
  return { ...rest, ...(body !== undefined && { idle: body }) };
}

/** @param elsewhere paths that another server answers, which is then asked at its own URL */
function createFetch(http: Http, elsewhere: ReadonlyMap<string, Http>): Fetch {
  const rpcs = new Map<string, JsonRpc>();
  const rpcAt = (path: string): JsonRpc => {
    const known = rpcs.get(path);
    if (known) return known;
    const other = elsewhere.get(path);
    // Only the chains' Ethereum APIs take batches; index, platform, avm and info answer them with an error.
    const batch = path.endsWith('/rpc') ? {} : { batch: 1 };
    const made = other ? createJsonRpc(other, '') : createJsonRpc(http, path, batch);
    rpcs.set(path, made);
    return made;
  };
  return async (request: Request): Promise<Response> => {
    switch (request.kind) {
      case 'rpc': {
        const { method, params } = request.call;
        return dated(await rpcAt(request.path).call(method, params));
      }
      case 'rpcMany':
        return dated(await rpcAt(request.path).callMany(request.calls));
      case 'get':
        return dated(await http.get(request.path, request.query, request.weight));
      case 'post':
        return dated(await http.send({ ...request, method: 'POST', idempotent: !request.once }));
    }
  };
}

const dated = ({ body, requestedAt, bytes }: { body: unknown; requestedAt: number; bytes: number }): Response => ({
  body,
  fetchedAt: requestedAt,
  bytes,
});
