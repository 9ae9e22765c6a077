import { chainMetrics } from '../../pipelines/metrics-api/chainMetrics.ts';
import { declaredMetrics } from '../../src/transform/models/declaredMetrics.ts';

export { chainMetrics };

export const metricNames: readonly string[] = declaredMetrics().map(({ name }) => name);

/** The intervals at which a metric is served. */
export const allowedIntervals = (metric: string): readonly string[] =>
  declaredMetrics().find(({ name }) => name === metric)?.intervals ?? [];
