import { chainMetrics, dayOnly, multiInterval } from '../../pipelines/metrics-api/chainMetrics.ts';

export { chainMetrics };

/** All 17 metrics. */
export const metricNames: readonly string[] = [...multiInterval, ...dayOnly];

/** The intervals at which a metric is served. */
export const allowedIntervals = (metric: string): readonly string[] =>
  (multiInterval as readonly string[]).includes(metric) ? ['hour', 'day', 'week', 'month'] : ['day'];
