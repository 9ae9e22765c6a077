import { groupBy } from '../../core/groupBy.ts';
import {
  betterOf,
  type ChainInputs,
  inputsOfContainers,
  inputsOfDataService,
  isAllowed,
} from '../../run/probe/chainInputs.ts';
import type { Finding } from '../../run/probe/finding.ts';
import type { ProbeReport } from '../../run/probe/probeSources.ts';
import type { Metric } from '../../transform/models/metric.ts';

/** What a source allows of the metrics. */
export interface Allowance {
  readonly source: string;
  readonly allowed: readonly string[];
  readonly sentence: string;
}

/** What each source that answered allows of the metrics, chain by chain. */
export function metricsAllowed(metrics: readonly Metric[], report: ProbeReport): Allowance[] {
  const { node, data, metrics: service } = report.offers;
  const cIndex = report.streams.some(
    ({ stream, state, partition }) =>
      stream === 'node/containers' && state === 'ok' && partition?.values['index_name'] === 'C/block',
  );
  const chains = (node?.chains ?? []).map((chain) => {
    const given = chain.name === 'C' && cIndex ? betterOf(chain, inputsOfContainers) : chain;
    return allowance(metrics, `node, chain ${chain.name} (${chain.chainId})`, given);
  });
  const containersAlone = cIndex && !node?.chains.some(({ name }) => name === 'C');
  const isSilent = node && chains.length === 0 && !containersAlone;
  const served = report.streams.filter(({ stream, state }) => stream === 'metrics/chain_metrics' && state === 'ok');
  const ids = served.flatMap(({ partition }) => partition?.values['chain_id'] ?? []);
  return [
    ...chains,
    ...(containersAlone ? [indexAllowance(metrics)] : []),
    ...(isSilent ? [node.findings.some(isAbsentChain) ? none(metrics) : unknown(metrics)] : []),
    ...(data ? [dataAllowance(metrics)] : []),
    ...(service ? [{ source: 'metrics service', allowed: [], sentence: `the served side, ${servedFor(ids)}` }] : []),
  ];
}

function allowance(metrics: readonly Metric[], source: string, given: ChainInputs): Allowance {
  const allowed = metrics.filter((metric) => isAllowed(metric, given));
  const lacking = groupBy(
    metrics.filter((metric) => !isAllowed(metric, given)),
    ({ needs: { input, sinceGenesis } }) => (sinceGenesis ? `${input} since genesis` : input),
  );
  const why = [...lacking].map(([what, those]) => `${those.map(({ name }) => name).join(', ')}: without ${what}`);
  return {
    source,
    allowed: allowed.map(({ name }) => name),
    sentence: [`${allowed.length} of ${metrics.length} recomputed`, ...why].join('; not '),
  };
}

/** What the C-Chain's index allows on its own. Headers tell the gas that was used up to Helicon. */
function indexAllowance(metrics: readonly Metric[]): Allowance {
  const { sentence, ...rest } = allowance(metrics, 'node, index C/block', inputsOfContainers);
  return { ...rest, sentence: `${sentence}; from Helicon on not gasUsed, avgGps, maxGps: without receipts` };
}

const servedFor = (ids: readonly string[]) =>
  ids.length > 0 ? `for chain ${ids.join(', ')}` : 'which could not be checked';

const isAbsentChain = ({ about, state }: Finding) => about.startsWith('chain ') && state === 'missing';

/** Of a node that follows the P-Chain alone, say. */
const none = ({ length }: readonly Metric[]): Allowance => ({
  source: 'node',
  allowed: [],
  sentence: `0 of ${length} recomputed: it offers no EVM chain that was asked about`,
});

/** Of a node that does not answer only what nodes can give is known. */
function unknown(metrics: readonly Metric[]): Allowance {
  const count = (traces: ChainInputs['traces']) =>
    metrics.filter((metric) => isAllowed(metric, { blocks: 'genesis', receipts: 'genesis', traces })).length;
  const sentence = `could not be checked; with the whole history ${count('genesis')} of ${metrics.length}, without call traces ${count('none')}`;
  return { source: 'node', allowed: [], sentence };
}

function dataAllowance(metrics: readonly Metric[]): Allowance {
  const { allowed } = allowance(metrics, '', inputsOfDataService);
  const sentence = `${allowed.length} of ${metrics.length} proven: it lists transactions, not every block with its parent`;
  return { source: 'data service', allowed, sentence };
}
