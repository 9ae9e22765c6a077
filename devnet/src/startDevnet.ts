import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFaults, createFaults, type FaultRates, type Faults } from './faults.ts';
import { createHead, type HeadPosition, stepLength } from './head.ts';
import { type Helicon, withHelicon } from './helicon.ts';
import { createNode } from './node/createNode.ts';
import { plain } from './node/json2.ts';
import type { NodeSettings } from './node/nodeSettings.ts';
import { type LiveSettings, watchSettings } from './node/watchSettings.ts';
import { problem } from './problem.ts';
import { createQuota, type QuotaOptions } from './quota.ts';
import { readLedger } from './readLedger.ts';
import { breakAnswer, faultAnswer, sendAnswer } from './sendAnswer.ts';
import { createServices } from './services/createServices.ts';
import type { PageFaultRates } from './services/http/pageFaults.ts';
import { pageFaultNames } from './services/http/pageFaults.ts';
import type { ServiceOptions } from './services/serviceOptions.ts';
import type { Head, Ledger, ServiceRequest, ServiceResponse } from './types.ts';
import { withWideAmounts } from './wideAmounts.ts';

export interface DevnetOptions extends Partial<NodeSettings> {
  /** A ledger, or the folder of a recording. Default: the recording packed with this program. */
  readonly ledger?: Ledger | string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Which Host headers are accepted; all of them where this is left out. */
  readonly isOwnHost?: (host: string | undefined) => boolean;
  /** Where the history ends for now: `70%`, a moment. Default `100%`. */
  readonly head?: HeadPosition;
  /** How many times faster than the clock the head runs. Default 0: it stands still. */
  readonly speed?: number;
  /** A moving head: how far it goes before each request is answered, such as `0.01%`. Default: not at all. */
  readonly step?: string;
  readonly faults?: FaultRates;
  readonly faultSeed?: number;
  /** Compute units of the data and metrics services; the node has no quota. */
  readonly quota?: Omit<QuotaOptions, 'key'>;
  readonly key?: string;
  /** Served metrics that are wrong on purpose. */
  readonly servedFaults?: ServiceOptions['servedFaults'];
  /** Everything else about the data and metrics services. */
  readonly services?: Omit<ServiceOptions, 'servedFaults' | 'pageFaults'>;
  /** Whether L1s move amounts, and pay prices, of up to 2^256-1, as a native minter makes possible. */
  readonly wideAmounts?: boolean;
  /** A C-Chain that executes its blocks after it accepted them, from a height on. */
  readonly helicon?: Helicon;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly log?: (entry: DevnetLogEntry) => void;
}

export interface DevnetLogEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly fault: string | null;
}

interface DevnetStats {
  /** Requests by path. */
  readonly requests: Readonly<Record<string, number>>;
  /** JSON-RPC calls by path and method, those in batches one by one. */
  readonly calls: Readonly<Record<string, number>>;
  /** Faults by kind, apart from those of pages. */
  readonly faults: Readonly<Record<string, number>>;
}

/** A running embedded network: a node, a data service and a metrics service at one address. */
export interface Devnet {
  readonly url: string;
  readonly port: number;
  readonly ledger: Ledger;
  readonly head: Head;
  moveHead(position: HeadPosition): void;
  setFaults(rates: FaultRates): void;
  /** Changes how the node behaves from the next request on. */
  configure(settings: Partial<NodeSettings>): void;
  stats(): DevnetStats;
  close(): Promise<void>;
}

/**
 * Starts the embedded network. Throws an Error for a recording that cannot be read, a head that cannot be understood, or a port that
 * cannot be taken.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { host = '127.0.0.1', port = 0 } = options;
  const recorded = typeof options.ledger === 'object' ? options.ledger : await readLedger(options.ledger);
  const wide = options.wideAmounts ? withWideAmounts(recorded) : recorded;
  const network = createNetwork(options.helicon ? withHelicon(wide, options.helicon) : wide, options);
  const server = createServer((incoming, response) => {
    if (options.isOwnHost?.(incoming.headers.host) === false) return refuseHost(response);
    network.handle(incoming, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return response.destroy();
      return sendAnswer(
        response,
        problem(500, error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
      );
    });
  });
  server.keepAliveTimeout = 60_000;
  await listen(server, port, host);
  const taken = (server.address() as AddressInfo).port;
  const name = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host;
  return {
    ...network,
    url: `http://${name}:${taken}`,
    port: taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The network without its server. */
interface Network extends Omit<Devnet, 'url' | 'port' | 'close'> {
  handle(incoming: IncomingMessage, response: ServerResponse): Promise<void>;
}

function createNetwork(ledger: Ledger, options: DevnetOptions): Network {
  const { clock = Date.now, faultSeed = 1, log } = options;
  const head = createHead(
    ledger,
    options.head ?? '100%',
    options.speed,
    clock,
    stepLength(ledger, options.step ?? '0%'),
  );
  const faults = createFaults(options.faults, faultSeed);
  const pageFaults: Record<string, number> = {};
  setPageFaults(pageFaults, options.faults ?? {});
  const settings = watchSettings(head, options);
  const answer = createAnswer(ledger, head, settings, faults, { ...options, clock, faultSeed, pageFaults });
  const requests: Record<string, number> = {};
  const calls: Record<string, number> = {};
  return {
    ledger,
    head,
    async handle(incoming, response) {
      const request = await readRequest(incoming);
      head.step();
      requests[request.path] = (requests[request.path] ?? 0) + 1;
      const isNode = request.path.startsWith('/ext/');
      if (isNode) countCalls(calls, request);
      const { method, path } = request;
      if (isNode && !settings.admit()) {
        log?.({ method, path, status: null, fault: 'restart' });
        response.socket?.resetAndDestroy();
        return;
      }
      const key = `${method} ${incoming.url} ${request.body}`;
      const fault = faults.pick(answerFaults, key);
      const instead = fault === null ? null : faultAnswer(fault, faults, key, request.body);
      const given = instead ?? answer(request);
      log?.({ method, path, status: fault === 'reset' ? null : given.status, fault });
      if (fault !== null && instead === null) breakAnswer(response, fault, given, faults.number('silent', key) < 0.5);
      else sendAnswer(response, given);
    },
    moveHead: (position) => head.moveTo(position),
    setFaults(rates) {
      faults.setRates(rates);
      setPageFaults(pageFaults, rates);
    },
    configure: settings.change,
    stats: () => ({ requests: { ...requests }, calls: { ...calls }, faults: faults.counts() }),
  };
}

interface AnswerOptions extends DevnetOptions {
  readonly clock: () => number;
  readonly faultSeed: number;
  readonly pageFaults: PageFaultRates;
}

/** The node answers below `/ext`; everything else is the services', which count what it costs. */
function createAnswer(
  ledger: Ledger,
  head: Head,
  settings: LiveSettings,
  faults: Faults,
  { clock, faultSeed: seed, pageFaults, servedFaults = [], key, ...options }: AnswerOptions,
): (request: ServiceRequest) => ServiceResponse {
  const node = createNode(ledger, head, settings, faults);
  const services = createServices(ledger, head, { seed, ...options.services, pageFaults, servedFaults });
  const quota = createQuota({ ...options.quota, ...(key !== undefined && { key }) }, clock);
  return (request) => {
    const nodeAnswer = node(request);
    if (nodeAnswer !== null) return nodeAnswer;
    const { refusal, headers } = quota(request);
    const own = refusal ?? services(request) ?? plain(404, '404 page not found\n');
    const body = settings.now().seedShapes ? textPrices(own.body) : own.body;
    return { ...own, body, headers: { ...own.headers, ...headers } };
  };
}

function refuseHost(response: ServerResponse): void {
  sendAnswer(response, plain(403, 'invalid host: this network answers to localhost and 127.0.0.1, or to addresses\n'));
}

async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [path = '/', query = ''] = (incoming.url ?? '/').split(/\?(.*)/s);
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return {
    method: incoming.method ?? 'GET',
    path: decoded(path),
    query: new URLSearchParams(query),
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function countCalls(calls: Record<string, number>, { path, body }: ServiceRequest): void {
  for (const [, method] of body.matchAll(/"method"\s*:\s*"([^"]*)"/g)) {
    const key = `${path} ${method}`;
    calls[key] = (calls[key] ?? 0) + 1;
  }
}

function setPageFaults(live: Record<string, number>, rates: FaultRates): void {
  for (const name of pageFaultNames) live[name] = rates[name] ?? 0;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is in use; stop what listens there, or take another port (0 picks a free one)'
          : `cannot be taken (${error.message})`;
      reject(new Error(`port ${port} of ${host} ${why}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** An answer with prices as text, as the specification types them; the hosted service gives numbers. */
const textPrices = (body: string | Uint8Array): string | Uint8Array =>
  typeof body === 'string' ? body.replace(/("currencyCode":"\w+","value":)([-+\d.eE]+)/g, '$1"$2"') : body;
