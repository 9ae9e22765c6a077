import { type Interval, intervals, type MetricName, metricNames } from './metricNames.ts';
import { type VariantName, variantsOf } from './variants.ts';

/** The ways in which served metrics can be untrue, and what each does. */
export const servedFaultNames = {
  week_underfilled: 'closed weeks hold their first two days only',
  month_empty: 'months are never served',
  day_provisional: 'the newest day is 90 % empty until 30 hours after it closed',
  offset: 'every value is higher by the same number (155 on cumulativeContracts)',
  rounded_averages: 'averages are rounded to whole numbers',
  values_as_strings: 'values are JSON strings',
  wei_exact: 'values have all their digits instead of those of a double',
  lie: 'one settled bucket has another value (txCount of one day)',
  bucket_missing: 'one settled bucket is missing (txCount of one day)',
  scale: 'prices and fees are in gwei',
  variant: 'another reading of the definition (avgGasPrice weighted by gas, addresses without the zero address)',
  receipts_only: 'contracts and deployers are counted from receipts, not from traces',
  null_values: 'a value that does not exist is null instead of a missing row',
  zero_values: 'a value that does not exist is 0 instead of a missing row',
  lagging: 'the newest 48 hours are not served yet',
} as const;

export type ServedFaultName = keyof typeof servedFaultNames;

/** A fault, and optionally what it is limited to. */
export interface ServedFault {
  readonly name: ServedFaultName;
  readonly metric?: MetricName;
  /** EVM chain id, blockchain id, or an aggregate, as asked for in the path. */
  readonly chain?: string;
  readonly interval?: Interval;
  /** Start of the bucket, in seconds (lie, bucket_missing). */
  readonly bucket?: number;
  /** variant */
  readonly variant?: VariantName;
  /** What values are divided by (scale). */
  readonly factor?: number;
  /** What is added to values (offset, lie). */
  readonly offset?: number;
}

/** What a fault touches when it says nothing itself. */
const usual: Readonly<
  Partial<Record<ServedFaultName, { readonly metrics: readonly MetricName[]; readonly interval?: Interval }>>
> = {
  offset: { metrics: ['cumulativeContracts'] },
  rounded_averages: { metrics: ['avgGps', 'avgTps', 'avgGasPrice'] },
  lie: { metrics: ['txCount'], interval: 'day' },
  bucket_missing: { metrics: ['txCount'], interval: 'day' },
  scale: { metrics: ['avgGasPrice', 'maxGasPrice', 'feesPaid'] },
  variant: { metrics: ['avgGasPrice', 'activeAddresses', 'activeSenders', 'cumulativeAddresses'] },
  receipts_only: { metrics: ['contracts', 'cumulativeContracts', 'deployers', 'cumulativeDeployers'] },
};

/** The faults that concern one series. `chainNames` are all names of the chain or aggregate asked for. */
export function faultsOf(
  faults: readonly ServedFault[],
  metric: MetricName,
  interval: Interval,
  chainNames: readonly string[],
): ReadonlyMap<ServedFaultName, ServedFault> {
  const concerned = faults.filter((fault) => {
    const { metrics, interval: usualInterval } = usual[fault.name] ?? {};
    const ofMetric = fault.metric === undefined ? (metrics?.includes(metric) ?? true) : fault.metric === metric;
    const own = fault.interval ?? (fault.metric === undefined ? usualInterval : undefined) ?? interval;
    return ofMetric && own === interval && (fault.chain === undefined || chainNames.includes(fault.chain));
  });
  return new Map(concerned.map((fault) => [fault.name, fault]));
}

/** The reading a series follows: the documented one (null) unless a fault says otherwise. */
export function variantIn(faults: ReadonlyMap<ServedFaultName, ServedFault>, metric: MetricName): VariantName | null {
  if (faults.has('receipts_only')) return 'receipts_only';
  const fault = faults.get('variant');
  if (fault === undefined) return null;
  if (fault.variant !== undefined) return fault.variant;
  return metric === 'avgGasPrice' ? 'gas_weighted' : (variantsOf[metric][0] ?? null);
}

/**
 * Reads a fault as written on a command line: `lie`, or `lie:metric=feesPaid,chain=43112,interval=day,bucket=2026-02-10`.
 * Throws an Error that says which word is wrong and what is possible.
 */
export function parseServedFault(text: string): ServedFault {
  const [name = '', details = ''] = splitOnce(text, ':');
  const fault: Record<string, unknown> = { name: known(name, Object.keys(servedFaultNames), 'served fault') };
  for (const detail of details === '' ? [] : details.split(',')) {
    const [key = '', value = ''] = splitOnce(detail, '=');
    const read = readers[key];
    if (read === undefined)
      throw new Error(`${text}: unknown detail ${key}; possible: ${Object.keys(readers).join(', ')}`);
    fault[key] = read(value);
  }
  return fault as unknown as ServedFault;
}

const readers: Readonly<Record<string, (value: string) => unknown>> = {
  metric: (value) => known(value, metricNames, 'metric'),
  chain: (value) => value,
  interval: (value) => known(value, intervals, 'interval'),
  variant: (value) => known(value, [...new Set(Object.values(variantsOf).flat())], 'variant'),
  bucket: (value) => number(/^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1000, value),
  factor: (value) => number(Number(value), value),
  offset: (value) => number(Number(value), value),
};

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function known(word: string, words: readonly string[], what: string): string {
  if (!words.includes(word)) throw new Error(`unknown ${what} ${word}; possible: ${words.join(', ')}`);
  return word;
}

function number(value: number, text: string): number {
  if (!Number.isFinite(value)) throw new Error(`${text} is neither a number nor a date`);
  return value;
}
