/** The 17 metrics, by the names the service gives them. */
export const metricNames = [
  'activeAddresses',
  'activeSenders',
  'cumulativeTxCount',
  'cumulativeAddresses',
  'cumulativeContracts',
  'cumulativeDeployers',
  'contracts',
  'deployers',
  'gasUsed',
  'txCount',
  'avgGps',
  'maxGps',
  'avgTps',
  'maxTps',
  'avgGasPrice',
  'maxGasPrice',
  'feesPaid',
] as const;

export type MetricName = (typeof metricNames)[number];

export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

const everyInterval: ReadonlySet<MetricName> = new Set(['activeAddresses', 'activeSenders', 'gasUsed', 'txCount']);

/** The intervals a metric is served at; the first is the one used when none is asked for. */
export function intervalsOf(metric: MetricName): readonly Interval[] {
  return everyInterval.has(metric) ? intervals : ['day'];
}
