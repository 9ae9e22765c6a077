import { FirnError } from '../../core/firnError.ts';
import { hrpOf, type NetworkFacts } from '../../core/network.ts';
import type { Source } from '../../core/stream.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { type ServerLimits, serverLimits } from '../../extract/serverLimits.ts';
import type { PlannedStream } from '../plan/planStreams.ts';
import { type Settings, sourceSettings } from '../settings.ts';
import { openSources } from '../sources/openSources.ts';
import type { PauseState } from '../sources/pauseState.ts';
import type { Finding, FindingState } from './finding.ts';
import { type NodeOffer, probeNode } from './probeNode.ts';
import { probeService, type ServiceOffer } from './probeService.ts';
import { probeStreams, type StreamFinding } from './probeStreams.ts';

type SourceName = Source['name'];

/** What the sources say of themselves. */
export interface Offers {
  readonly node?: NodeOffer;
  readonly data?: ServiceOffer;
  readonly metrics?: ServiceOffer;
  /** What is known of the network after asking. */
  readonly network: NetworkFacts;
}

export interface ProbeReport extends Offers {
  /** Everything that was found, source by source. */
  readonly findings: readonly Finding[];
  readonly streams: readonly StreamFinding[];
}

export interface ProbeOptions {
  readonly sources: Settings['sources'];
  readonly fromEnvironment?: readonly string[] | undefined;
  /** EVM chains of the node to ask about: C, blockchain ids. */
  readonly chains: readonly string[];
  /** Network that the services are asked for; left out: any. */
  readonly network?: string | undefined;
  /** Streams whose first request is sent, given what the sources say of themselves. */
  readonly streams: (offers: Offers) => readonly PlannedStream[];
  /** Until when sources want no request. */
  readonly pauses?: PauseState | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds for everything. Default: 20 s. */
  readonly patienceMs?: number;
}

const retry = { attempts: 2, baseMs: 200, capMs: 500, maxWaitMs: 2_000 };
const timeouts = { connect: 3_000, headers: 8_000, body: 8_000, total: 10_000 };

/**
 * Asks sources what they offer: few requests, hardly any retries, and never longer than `patienceMs`. A source that does not answer
 * is a finding, and so is everything else.
 *
 * @throws FirnError `config` for a URL that is none · `interrupted`
 */
export async function probeSources(options: ProbeOptions): Promise<ProbeReport> {
  const { patienceMs = 20_000 } = options;
  const limit = linkedAbort(options.signal);
  const timer = setTimeout(() => limit.abort(outOfTime(patienceMs)), patienceMs);
  const heads: Partial<Record<SourceName, ServerLimits>> = {};
  const sources = await openSources({
    settings: {
      sources: hurried(options.sources),
      ...(options.fromEnvironment && { fromEnvironment: options.fromEnvironment }),
    },
    signal: limit.signal,
    retry,
    pauses: options.pauses,
    onHead: (source, _, headers) => {
      heads[source] = { ...heads[source], ...serverLimits(headers, Date.now()) };
    },
  });
  const { node, data, metrics } = sources.fetch;
  try {
    const hasInfo = options.sources.node?.url !== undefined;
    const [nodeOffer, dataOffer, metricsOffer] = await Promise.all([
      node && probeNode(node, options.chains, hasInfo),
      data && probeService(data, 'data', options.network),
      metrics && probeService(metrics, 'metrics', options.network),
    ]);
    const offers = {
      ...(nodeOffer && { node: nodeOffer }),
      ...(dataOffer && { data: dataOffer }),
      ...(metricsOffer && { metrics: metricsOffer }),
      network: factsOf(nodeOffer, dataOffer, options.network),
    };
    const silent = options.chains.filter((name) => !nodeOffer?.chains.some((chain) => chain.name === name));
    const asked = options
      .streams(offers)
      .filter(({ stream }) => !isAsked(stream.source.name) || answers(offers[stream.source.name]?.state))
      // What is asked of chains that say nothing of themselves would only say so again.
      .filter(({ stream, parameters }) => stream.source.name !== 'node' || !isOf(parameters, silent));
    const streams = await probeStreams(asked, offers.network, sources.fetch);
    const names = Object.keys(sources.fetch) as SourceName[];
    const findings = names.flatMap((name) => [
      ...(isAsked(name) ? (offers[name]?.findings ?? []) : []),
      ...streams.filter(({ source }) => source === name),
      ...keyFinding(name, options.sources, offers, streams),
      ...quotaFinding(name, heads[name]),
    ]);
    return { ...offers, findings, streams };
  } finally {
    clearTimeout(timer);
    limit.unlink();
    await sources.close();
  }
}

/** Whether a source says something of itself: of one's own only the streams tell. */
const isAsked = (source: SourceName): source is 'node' | 'data' | 'metrics' =>
  ['node', 'data', 'metrics'].includes(source);

/** Whether it is worth asking a source for more: what it refuses to say of itself says nothing of what the streams ask for. */
const answers = (state: FindingState | undefined) => state !== undefined && state !== 'unreachable';

function isOf({ blockchainIds }: PlannedStream['parameters'], chains: readonly string[]): boolean {
  return Array.isArray(blockchainIds) && blockchainIds.every((name) => chains.includes(name));
}

function factsOf(node: NodeOffer | undefined, data: ServiceOffer | undefined, named: string | undefined): NetworkFacts {
  const networkId = node?.networkId ?? null;
  const byId = { 1: 'mainnet', 5: 'fuji', 12345: 'local' }[networkId ?? 0];
  const byChain = node?.chains.flatMap(({ chainId }) => ({ 43114: 'mainnet', 43113: 'fuji' })[chainId] ?? [])[0];
  const known = named?.replace('testnet', 'fuji') ?? listedNetwork(node, data) ?? byId ?? byChain;
  const network = data ? servedNetwork(known) : (known ?? 'unknown');
  const chains = (node?.chains ?? []).map(({ name, chainId }) => {
    const vm: NetworkFacts['chains'][number]['vm'] = 'evm';
    return { chainId, name, blockchainId: name === 'C' ? null : name, alias: name, vm, genesisHash: null };
  });
  return { networkId, network, hrp: network === 'fuji' ? 'fuji' : hrpOf(networkId ?? 1), chains };
}

/** Data services know two networks. Where nothing is known it is the configuration's default; a network of one's own goes as a test network. */
function servedNetwork(known: string | undefined): string {
  if (known === undefined) return 'mainnet';
  return known === 'mainnet' ? known : 'fuji';
}

/** The network under which a data service has the node's chains, else that of all the chains it lists. */
function listedNetwork(node: NodeOffer | undefined, data: ServiceOffer | undefined): string | undefined {
  const known = data?.chains.filter(({ chainId }) => node?.chains.some((chain) => chain.chainId === chainId)) ?? [];
  const [first, ...others] = known.length > 0 ? known : (data?.chains ?? []);
  if (!first) return undefined;
  return [first, ...others].every(({ isTestnet }) => isTestnet) ? 'fuji' : 'mainnet';
}

/** What an answer to a request with or without a key says of the key. */
function keyFinding(
  source: SourceName,
  sources: Settings['sources'],
  offers: Offers,
  streams: readonly StreamFinding[],
): Finding[] {
  if (source === 'node') return [];
  const own = streams.filter((stream) => stream.source === source);
  const lists = !isAsked(source) || own.some(({ state }) => state === 'ok') ? [] : (offers[source]?.findings ?? []);
  const all = [...own, ...lists];
  const refusal = all.find(({ code }) => code === 'unauthorized');
  const has = sourceSettings({ sources }, source)?.key !== undefined;
  if (refusal?.isForeign) {
    const sentence = `Is this the right host? What answers there refuses, and not in the way of a service with keys. ${refusal.sentence}`;
    return [{ source, about: 'host', state: 'refused', sentence, code: 'config' }];
  }
  if (refusal) {
    const what = has ? 'The key is not accepted' : 'A key is wanted, and none is configured';
    return [{ source, about: 'key', state: 'refused', sentence: `${what}. ${refusal.sentence}`, code: 'unauthorized' }];
  }
  if (!all.some(({ state }) => state === 'ok')) return [];
  return [{ source, about: 'key', state: 'ok', sentence: has ? 'accepted' : 'none, and none is wanted' }];
}

/** What the headers of the answers say is left. */
function quotaFinding(source: SourceName, limits: ServerLimits | undefined): Finding[] {
  if (limits?.limit === undefined && limits?.remaining === undefined) return [];
  const { limit, remaining, windowMs } = limits;
  const told = [
    ...(limit === undefined ? [] : [`${limit.toLocaleString('en-US')} in ${(windowMs ?? 60_000) / 1000} s`]),
    ...(remaining === undefined ? [] : [`${remaining.toLocaleString('en-US')} left`]),
  ].join(', ');
  if (remaining !== 0) return [{ source, about: 'quota', state: 'ok', sentence: told }];
  const sentence = `${told}. Run again later, or ask the service for a larger quota.`;
  return [{ source, about: 'quota', state: 'refused', sentence, code: 'rate_limited' }];
}

/** The sources with timeouts for questions that somebody waits for. */
function hurried(sources: Settings['sources']): Settings['sources'] {
  const all = Object.entries(sources).map(([name, source]) => [name, source && { ...source, timeouts }]);
  return Object.fromEntries(all) as Settings['sources'];
}

const outOfTime = (ms: number) =>
  new FirnError('unavailable', `No complete answer within ${ms / 1000} s. Run again when the source is less busy.`);
