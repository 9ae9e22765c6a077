import { cChainIdOf } from '../../core/stream/network.ts';
import type { FindingState } from '../../run/probe/finding.ts';
import type { Offer } from '../../run/probe/offer.ts';
import type { Offers, ProbeReport } from '../../run/probe/probeSources.ts';
import type { StreamFinding } from '../../run/probe/probeStreams.ts';
import { groupedFindings } from './groupedFindings.ts';
import type { StarterSources } from './presets.ts';

/** A stream of a first configuration. */
export interface StarterStream {
  readonly id: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Chains this small are read from genesis on: cumulative metrics need that. */
const smallChain = 1_000_000;
const indexes = ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'];
/** Filled only before Cortina, and empty on younger networks: read where they hold something. */
const oldIndexes = ['X/tx', 'X/vtx'];

/** What is worth reading, given what the sources say of themselves, including streams of which only a first request can tell. */
export function candidateStreams(sources: StarterSources, names: readonly string[], told: Offers): StarterStream[] {
  const { node, data, metrics } = told.offers;
  const wanted = node?.chains.length
    ? node.chains.map(({ chainId }) => chainId)
    : [cChainIdOf(told.network.network) ?? '43114'];
  const listed = (service: typeof data) => {
    const ids = service?.listed.map(({ chainId }) => chainId) ?? [];
    if (ids.length === 0) return wanted;
    const both = wanted.filter((id) => ids.includes(id));
    // A service without a node beside it may be of a network of its own.
    return both.length > 0 || node ? both : ids.slice(0, 1);
  };
  const one = (id: string, parameters: StarterStream['parameters'], given: boolean) =>
    given ? [{ id, parameters }] : [];
  const dataChains = listed(data);
  const metricChains = listed(metrics);
  return [
    ...one('node/containers', { indexes }, sources.node?.url !== undefined),
    ...one('node/evm_blocks', evmParameters(node, names), sources.node !== undefined && names.length > 0),
    ...one('node/platform_blocks', { from: '-30d' }, sources.node?.url !== undefined),
    ...one('node/platform_validators', {}, sources.node?.url !== undefined),
    ...one('data/chains', {}, data !== undefined),
    ...one('data/latest_transactions', { chainIds: dataChains }, data !== undefined && dataChains.length > 0),
    ...one('data/primary_transactions', { blockchainIds: ['p-chain'] }, data !== undefined),
    ...one('data/validators', {}, data !== undefined),
    ...one(
      'metrics/chain_metrics',
      { chainIds: metricChains, metrics: 'all', timeIntervals: 'all' },
      metrics !== undefined && metricChains.length > 0,
    ),
  ];
}

/** Chains that answer, or could not be asked; without traces where none is given. */
function evmParameters(node: Offer | undefined, names: readonly string[]): StarterStream['parameters'] {
  const chains = node?.chains ?? [];
  const blockchainIds = chains.length > 0 ? chains.map(({ name }) => name) : names;
  const isSmall =
    chains.length > 0 && chains.every(({ height, blocks }) => height <= smallChain && blocks === 'genesis');
  const traced = chains.length === 0 || chains.some(({ traces }) => traces !== 'none');
  return { blockchainIds, from: isSmall ? 0 : '-30d', ...(!traced && { traces: false }) };
}

/** Why a stream is in the configuration, or is not. */
export interface ChosenStream extends StarterStream {
  /** `unchecked`: its source did not answer, so it is there by default. */
  readonly state: 'offered' | 'unchecked' | 'left out';
  readonly reason: string;
}

/** The candidates that are offered, or could not be checked, with the parameters that are. */
export function chooseStreams(candidates: readonly StarterStream[], report: ProbeReport): ChosenStream[] {
  const chosen = candidates.map((candidate) => chooseStream(candidate, report));
  // The index of the P-Chain holds its blocks too, at a thousandth of the requests.
  const isIndexed = chosen.some(
    ({ id, state, parameters }) =>
      id === 'node/containers' &&
      state !== 'left out' &&
      (parameters['indexes'] as string[]).includes('P/block') &&
      !parameters['allowIncomplete'],
  );
  return chosen.filter(({ id }) => id !== 'node/platform_blocks' || !isIndexed);
}

function chooseStream(candidate: StarterStream, report: ProbeReport): ChosenStream {
  const found = report.streams.filter(({ stream }) => stream === candidate.id);
  if (found.length === 0) return unasked(candidate, report);
  const kept = found.filter(isKept);
  const reason = groupedFindings(found.filter((finding) => !isKept(finding)))
    .map(({ sentence }) => sentence)
    .join(' ');
  if (kept.length === 0) return { ...candidate, state: 'left out', reason };
  const unchecked = kept.find(({ state, beginsLate }) => state !== 'ok' && !beginsLate);
  const parameters = narrowed(candidate, kept);
  if (unchecked) return { ...candidate, parameters, state: 'unchecked', reason: unchecked.sentence };
  return { ...candidate, parameters, state: 'offered', reason };
}

/** Offered and not empty; a key that is not accepted yet says nothing of the stream. */
function isKept({ state, code, head, partition, beginsLate }: StreamFinding): boolean {
  if (code === 'unauthorized' || state === 'unreachable' || beginsLate) return true;
  const isEmpty = head === null && oldIndexes.includes(partition?.values['index_name'] ?? '');
  return state === 'ok' && !isEmpty;
}

/** A list parameter without the members that are not offered. */
function narrowed({ id, parameters }: StarterStream, kept: readonly StreamFinding[]): StarterStream['parameters'] {
  const left = (column: string, given: unknown) =>
    (given as string[]).filter((name) => kept.some(({ partition }) => partition?.values[column] === name));
  if (id === 'node/containers') {
    const isAsked = kept.every(({ state, beginsLate }) => state === 'ok' || beginsLate);
    const asked = left('index_name', parameters['indexes']);
    return {
      indexes: isAsked ? asked : asked.filter((name) => !oldIndexes.includes(name)),
      ...(kept.some(({ beginsLate }) => beginsLate) && { allowIncomplete: true }),
    };
  }
  if (id === 'node/platform_blocks')
    return kept.every(({ head }) => (head ?? smallChain + 1) <= smallChain) ? { from: 0 } : parameters;
  const late = kept.flatMap(({ begins }) => begins ?? []).sort();
  if (late.length > 0) return { ...parameters, from: late.at(-1) };
  return parameters['chainIds'] ? { ...parameters, chainIds: left('chain_id', parameters['chainIds']) } : parameters;
}

/** A stream that was not asked: its source, or its chain, says nothing. */
function unasked(candidate: StarterStream, report: ProbeReport): ChosenStream {
  const [source] = candidate.id.split('/');
  const states: FindingState[] = ['unreachable', 'refused', 'missing'];
  const why = report.findings
    .filter((finding) => finding.source === source && finding.state !== 'ok')
    .filter(({ about }) => candidate.id !== 'node/evm_blocks' || /^(?:chain|network)/.test(about))
    .sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state))[0];
  const reason = why?.sentence ?? 'was not asked';
  if (why?.state === 'missing' || why?.code === 'refused') return { ...candidate, state: 'left out', reason };
  const parameters =
    candidate.id === 'node/containers'
      ? { indexes: indexes.filter((name) => !oldIndexes.includes(name)) }
      : candidate.parameters;
  return { ...candidate, parameters, state: 'unchecked', reason };
}
