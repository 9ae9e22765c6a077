import type { MetricNeed } from '../run/probe/metricNeeds.ts';
import { containersGive, dataServiceGives, type Given, isAllowed, together } from '../run/probe/metricNeeds.ts';
import type { ProbeReport } from '../run/probe/probeSources.ts';

/** What a source allows of the metrics. */
export interface Allowance {
  readonly source: string;
  readonly allowed: readonly string[];
  readonly sentence: string;
}

/** What each source that answered allows of the metrics, chain by chain. */
export function metricsAllowed(needs: readonly MetricNeed[], report: ProbeReport): Allowance[] {
  const { node, data, metrics } = report.offers;
  const cIndex = report.streams.some(
    ({ stream, state, partition }) =>
      stream === 'node/containers' && state === 'ok' && partition?.values['index_name'] === 'C/block',
  );
  const chains = (node?.chains ?? []).map((chain) => {
    const given = chain.name === 'C' && cIndex ? together(chain, containersGive) : chain;
    return allowance(needs, `node, chain ${chain.name} (${chain.chainId})`, given);
  });
  const containersAlone = cIndex && !node?.chains.some(({ name }) => name === 'C');
  const isSilent = node && chains.length === 0 && !containersAlone;
  const served = report.streams.filter(({ stream, state }) => stream === 'metrics/chain_metrics' && state === 'ok');
  const ids = served.flatMap(({ partition }) => partition?.values['chain_id'] ?? []);
  return [
    ...chains,
    ...(containersAlone ? [allowance(needs, 'node, index C/block', containersGive)] : []),
    ...(isSilent ? [unknown(needs)] : []),
    ...(data ? [dataAllowance(needs)] : []),
    ...(metrics ? [{ source: 'metrics service', allowed: [], sentence: `the served side, ${servedFor(ids)}` }] : []),
  ];
}

function allowance(needs: readonly MetricNeed[], source: string, given: Given): Allowance {
  const allowed = needs.filter((need) => isAllowed(need, given));
  const lacking = new Map<string, string[]>();
  for (const need of needs) {
    if (isAllowed(need, given)) continue;
    const what = need.sinceGenesis ? `${need.input} since genesis` : need.input;
    lacking.set(what, [...(lacking.get(what) ?? []), need.metric]);
  }
  const why = [...lacking].map(([what, names]) => `${names.join(', ')}: without ${what}`);
  return {
    source,
    allowed: allowed.map(({ metric }) => metric),
    sentence: [`${allowed.length} of ${needs.length} recomputed`, ...why].join('; not '),
  };
}

const servedFor = (ids: readonly string[]) =>
  ids.length > 0 ? `for chain ${ids.join(', ')}` : 'which could not be checked';

/** Of a node that does not answer only what nodes can give is known. */
function unknown(needs: readonly MetricNeed[]): Allowance {
  const count = (traces: Given['traces']) =>
    needs.filter((need) => isAllowed(need, { blocks: 'genesis', receipts: 'genesis', traces })).length;
  const sentence = `could not be checked; with the whole history ${count('genesis')} of ${needs.length}, without call traces ${count('none')}`;
  return { source: 'node', allowed: [], sentence };
}

function dataAllowance(needs: readonly MetricNeed[]): Allowance {
  const { allowed } = allowance(needs, '', dataServiceGives);
  const sentence = `${allowed.length} of ${needs.length} proved: it lists transactions, not every block with its parent`;
  return { source: 'data service', allowed, sentence };
}
