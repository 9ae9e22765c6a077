import { creationVariants } from './creations.ts';
import type { MetricName } from './metricNames.ts';
import { activityVariants } from './participants.ts';
import { averageVariants, maximumVariants } from './rates.ts';

/** For each metric the readings of its definition that differ from the documented one. */
export const variantsOf = {
  activeAddresses: activityVariants,
  activeSenders: activityVariants,
  cumulativeTxCount: ['with_atomic'],
  cumulativeAddresses: activityVariants,
  cumulativeContracts: ['exclusive', ...creationVariants],
  cumulativeDeployers: creationVariants,
  contracts: creationVariants,
  deployers: creationVariants,
  gasUsed: [],
  txCount: ['with_atomic'],
  avgGps: averageVariants,
  maxGps: maximumVariants,
  avgTps: averageVariants,
  maxTps: maximumVariants,
  avgGasPrice: ['gas_weighted'],
  maxGasPrice: [],
  feesPaid: ['tx_gas_price'],
} as const satisfies Readonly<Record<MetricName, readonly string[]>>;

export type VariantName = (typeof variantsOf)[MetricName][number];
