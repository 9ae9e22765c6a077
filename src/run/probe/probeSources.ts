import { FirnError } from '../../core/firnError.ts';
import { unsetVariable } from '../../core/input/unsetVariable.ts';
import { identify, type NetworkFacts, networkText } from '../../core/stream/network.ts';
import type { Source } from '../../core/stream/source.ts';
import { type ServerLimits, serverLimits } from '../../extract/limits/serverLimits.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import type { PauseState } from '../../load/bookkeeping/pauseState.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { PlannedStream } from '../planStreams.ts';
import type { ConfiguredSources } from '../settings.ts';
import type { Fetch, Fetches } from '../sources/drive.ts';
import { openSources } from '../sources/openSources.ts';
import type { Finding, FindingState } from './finding.ts';
import { networkIdIn, type Offer } from './offer.ts';
import { probeNode } from './probeNode.ts';
import { listing, probeService } from './probeService.ts';
import { probeStreams, type StreamFinding } from './probeStreams.ts';

/** What the sources say of themselves. */
export interface Offers {
  /** By the name of the source; only those that are configured. */
  readonly offers: Readonly<Record<string, Offer>>;
  /** What is known of the network after asking. */
  readonly network: NetworkFacts;
}

export interface ProbeReport extends Offers {
  /** Everything that was found, source by source. */
  readonly findings: readonly Finding[];
  readonly streams: readonly StreamFinding[];
}

export interface ProbeOptions {
  /** The sources that are declared, and what is configured of them. */
  readonly declared: readonly Source[];
  readonly sources: ConfiguredSources;
  readonly fromEnvironment?: readonly string[] | undefined;
  /** EVM chains to ask about: C, blockchain ids. */
  readonly chains: readonly string[];
  /** Network that the services are asked for. Default: any. */
  readonly network?: string | undefined;
  /** Streams whose first request is sent, given what the sources say of themselves. */
  readonly streams: (told: Offers) => readonly PlannedStream[];
  /** Gives rows that were read before: sources are asked whether they still have them. */
  readonly query?: Statements['query'] | undefined;
  /** Pauses that sources asked for. */
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
 * @throws FirnError `config` for a malformed URL · `interrupted`
 */
export async function probeSources(options: ProbeOptions): Promise<ProbeReport> {
  const { patienceMs = 20_000 } = options;
  const limit = linkedAbort(options.signal);
  const timer = setTimeout(() => limit.abort(outOfTime(patienceMs)), patienceMs);
  const heads: Record<string, ServerLimits> = {};
  const sources = await openSources({
    settings: { sources: hurried(options.sources), fromEnvironment: options.fromEnvironment },
    sources: options.declared,
    signal: limit.signal,
    retry,
    pauses: options.pauses,
    onHead: (source, _, headers) => {
      heads[source] = { ...heads[source], ...serverLimits(headers, Date.now()) };
    },
  });
  const configured = options.declared.filter(({ name }) => sources.fetch[name]);
  try {
    const asked = configured.map(async (source) => [source.name, await probeSource(source, sources.fetch, options)]);
    const all = Object.fromEntries(await Promise.all(asked)) as Offers['offers'];
    const network = factsOf(all, options);
    const offers = options.network === undefined ? offersOf(network, all) : all;
    const told = { offers, network };
    const silent = options.chains.filter((name) => !chainsIn(offers).some((chain) => chain.name === name));
    const planned = options
      .streams(told)
      .filter(({ stream }) => answers(offers[stream.source.name]?.state))
      // Further questions about chains that do not answer would only fail again.
      .filter(({ stream, parameters }) => !stream.needs?.includes('evm') || !isOf(parameters, silent));
    const streams = await probeStreams(planned, told.network, sources.fetch, options.query);
    const findings = configured.flatMap(({ name }) => [
      ...networkFinding(name, told),
      ...(offers[name]?.findings ?? []),
      ...streams.filter(({ source }) => source === name),
      ...keyFinding(name, options.sources, offers, streams),
      ...quotaFinding(name, heads[name]),
    ]);
    return { ...told, findings, streams };
  } finally {
    clearTimeout(timer);
    limit.unlink();
    await sources.close();
  }
}

/** Whether it is worth asking a source for more: it may refuse to describe itself and still answer the streams. */
const answers = (state: FindingState | undefined) => state !== undefined && state !== 'unreachable';

const isOf = ({ blockchainIds }: PlannedStream['parameters'], chains: readonly string[]): boolean =>
  Array.isArray(blockchainIds) && blockchainIds.every((name) => chains.includes(name));

async function probeSource(source: Source, fetches: Fetches, options: ProbeOptions): Promise<Offer> {
  const { name, probe } = source;
  const fetch = fetches[name] as Fetch;
  if (probe?.chains) return probeService(fetch, name, probe.chains, options.network);
  return probeNode(fetch, source, options.chains, options.sources[name]?.url !== undefined);
}

/** What a node says of its network, by the name that it has everywhere else. */
function networkFinding(source: string, { offers, network }: Offers): Finding[] {
  const id = offers[source]?.networkId ?? null;
  return id === null ? [] : [{ source, about: 'network', state: 'ok', sentence: networkText(network.network, id) }];
}

const chainsIn = (offers: Offers['offers']) => Object.values(offers).flatMap(({ chains }) => chains);

/** Where a source serves several networks, the one to ask for is that of the configuration, or of the other sources. */
function factsOf(offers: Offers['offers'], { network, sources }: ProbeOptions): NetworkFacts {
  const networkId = networkIdIn(offers);
  const chains = chainsIn(offers).map(({ name, chainId }) => {
    const vm: NetworkFacts['chains'][number]['vm'] = 'evm';
    return { chainId, name, blockchainId: name === 'C' ? null : name, alias: name, vm, genesisHash: null };
  });
  const [serving] = Object.entries(sources).flatMap(([name, given]) => (given?.network ? [offers[name]] : []));
  const known =
    network?.replace('testnet', 'fuji') ??
    listedNetwork(chains, serving?.listed ?? []) ??
    identify(networkId, undefined, chains).network;
  return { ...identify(networkId, serving ? servedNetwork(known) : known, chains), chains };
}

/** What services offer of the network that they turned out to be asked about: their lists were of every one. */
function offersOf({ network, chains }: NetworkFacts, offers: Offers['offers']): Offers['offers'] {
  const isTest = servedNetwork(network) !== 'mainnet';
  const own = new Set(chains.map(({ chainId }) => chainId));
  const entries = Object.entries(offers).map(([source, offer]): [string, Offer] => {
    const listed = offer.listed.filter(({ chainId, isTestnet }) => isTestnet === isTest || own.has(chainId));
    return [source, listed.length > 0 ? listing(source, listed) : offer];
  });
  return Object.fromEntries(entries);
}

/** Such services know two networks. Where nothing is known it is the configuration's default; a private network counts as a test network. */
export const servedNetwork = (known: string): 'mainnet' | 'fuji' =>
  known === 'mainnet' || known === 'unknown' ? 'mainnet' : 'fuji';

/** The network to which these chains belong at a service, else that of all the chains it lists. */
function listedNetwork(chains: NetworkFacts['chains'], listed: Offer['listed']): string | undefined {
  const own = listed.filter(({ chainId }) => chains.some((chain) => chain.chainId === chainId));
  const [first, ...others] = own.length > 0 ? own : listed;
  if (!first) return undefined;
  return [first, ...others].every(({ isTestnet }) => isTestnet) ? 'fuji' : 'mainnet';
}

/** What an answer says about the key that was or was not sent. */
function keyFinding(
  source: string,
  sources: ConfiguredSources,
  offers: Offers['offers'],
  streams: readonly StreamFinding[],
): Finding[] {
  if (sources[source]?.keyHeader === undefined) return [];
  const own = streams.filter((stream) => stream.source === source);
  const lists = own.some(({ state }) => state === 'ok') ? [] : (offers[source]?.findings ?? []);
  const all = [...own, ...lists];
  const refusal = all.find(({ code }) => code === 'unauthorized');
  const has = sources[source]?.key !== undefined;
  if (refusal?.isForeign) {
    const sentence = `Is this the right host? What answers there refuses, but not the way a service with keys does. ${refusal.sentence}`;
    return [{ source, about: 'host', state: 'refused', sentence, code: 'config' }];
  }
  if (refusal) {
    const what = has ? 'The key is not accepted. ' : 'A key is required, and none is configured. ';
    // Of a variable that is not set the sentence says enough: nobody was asked.
    const sentence = `${unsetVariable(sources[source]) === undefined ? what : ''}${refusal.sentence}`;
    return [{ source, about: 'key', state: 'refused', sentence, code: 'unauthorized' }];
  }
  if (!all.some(({ state }) => state === 'ok')) return [];
  return [{ source, about: 'key', state: 'ok', sentence: has ? 'sent, and not refused' : 'none, and none is needed' }];
}

/** What the headers of the answers say is left. */
function quotaFinding(source: string, limits: ServerLimits | undefined): Finding[] {
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

/** The sources with short timeouts, since somebody waits for the answers. */
const hurried = (sources: ConfiguredSources): ConfiguredSources =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, source && { ...source, timeouts }]));

const outOfTime = (ms: number) =>
  new FirnError('unavailable', `No complete answer within ${ms / 1000} s. Run again when the source is less busy.`);
