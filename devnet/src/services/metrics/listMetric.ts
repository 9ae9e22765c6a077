import { once } from '../../once.ts';
import { badRequest, notFound } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { oneOf, paging, timeRange, withinTime } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { intervalsOf, metricNames } from './metricNames.ts';
import { createMetricSeries, type MetricSubject } from './metricSeries.ts';

const seriesOf = once(({ options }: ServiceContext) => createMetricSeries(options.servedFaults));

/** Metrics differ in their intervals. */
const queries = new Map(
  metricNames.map((metric) => {
    const [standard = 'day', ...others] = intervalsOf(metric);
    const timeInterval = oneOf([standard, ...others], standard);
    return [metric, queryOf({ ...paging(100, 2160), ...timeRange(), timeInterval })];
  }),
);

/** GET /v2/chains/{chainId}/metrics/{metric}: one metric of a chain, or of all chains together, newest first. */
export function listMetric(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly chainId: string; readonly metric: string },
): ServiceResponse {
  const metric = metricNames.find((name) => name === path.metric);
  const readQuery = metric && queries.get(metric);
  if (metric === undefined || readQuery === undefined)
    throw badRequest(`metric must be one of the following values: ${metricNames.join(', ')}`);
  const { timeInterval: interval, ...query } = readQuery(context, request);
  const keeps = withinTime(context.options, query);
  // Asked for before the first page is pinned, so that an unknown chain is a 404 and not an empty list.
  subjectOf(context, path.chainId, context.head.now());
  return servePage(context, request, {
    ...query,
    member: 'results',
    rows: (asOf) =>
      seriesOf(context)(subjectOf(context, path.chainId, asOf), metric, interval, asOf)
        .filter(({ timestamp }) => keeps(timestamp))
        .toReversed(),
    render: (point) => ({ ...point }),
  });
}

/** The ledger is the test network: `testnet` and `total` are all its chains, `mainnet` has none. */
function subjectOf(context: ServiceContext, id: string, asOf: number): MetricSubject {
  if (id === 'mainnet') return { names: [id], chains: [] };
  if (id === 'total' || id === 'testnet') return { names: [id], chains: context.evm.existing(asOf) };
  const chain = context.evm.find(id, asOf);
  if (chain === undefined) throw notFound(`chain ${id} is not supported`);
  return { names: [String(chain.evmChainId), chain.blockchainId], chains: [chain] };
}
