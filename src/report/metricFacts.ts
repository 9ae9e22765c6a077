/** What a plot says about its metric. */
export interface MetricFacts {
  readonly name: string;
  /** In words, for people who do not know the name. */
  readonly title: string;
  readonly unit: string;
  readonly intervals: readonly string[];
  /** Levels that only grow are drawn from their lowest value, all others from zero. */
  readonly cumulative: boolean;
}

export const timeIntervals = ['hour', 'day', 'week', 'month'] as const;

const metric = (name: string, title: string, unit: string, intervals: readonly string[] = ['day']): MetricFacts => ({
  name,
  title,
  unit,
  intervals,
  cumulative: name.startsWith('cumulative'),
});

/** The metrics in the order of the API's documentation. */
export const metricFacts: readonly MetricFacts[] = [
  metric('activeAddresses', 'Active addresses', 'addresses', timeIntervals),
  metric('activeSenders', 'Active senders', 'addresses', timeIntervals),
  metric('cumulativeTxCount', 'Transactions so far', 'transactions'),
  metric('cumulativeAddresses', 'Addresses so far', 'addresses'),
  metric('cumulativeContracts', 'Contracts so far', 'contracts'),
  metric('cumulativeDeployers', 'Deployers so far', 'addresses'),
  metric('contracts', 'New contracts', 'contracts'),
  metric('deployers', 'Deployers', 'addresses'),
  metric('gasUsed', 'Gas used', 'gas', timeIntervals),
  metric('txCount', 'Transactions', 'transactions', timeIntervals),
  metric('avgGps', 'Average gas per second', 'gas/s'),
  metric('maxGps', 'Highest gas per second', 'gas/s'),
  metric('avgTps', 'Average transactions per second', 'tx/s'),
  metric('maxTps', 'Highest transactions per second', 'tx/s'),
  metric('avgGasPrice', 'Average gas price', 'wei'),
  metric('maxGasPrice', 'Highest gas price', 'wei'),
  metric('feesPaid', 'Fees paid', 'wei'),
];

/** Facts of a metric; one that is not known here stands for itself. */
export function factsOf(name: string): MetricFacts {
  return metricFacts.find((known) => known.name === name) ?? metric(name, name, '', timeIntervals);
}

/** The place of a metric in the documentation's order; unknown ones come last. */
export function metricRank(name: string): number {
  const place = metricFacts.findIndex((known) => known.name === name);
  return place === -1 ? metricFacts.length : place;
}
