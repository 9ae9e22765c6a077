import { FirnError } from '../../core/firnError.ts';
import type { Metric } from './metric.ts';
import type { Model } from './model.ts';

/**
 * The metrics among models, in their order.
 *
 * @throws FirnError `failed` where two share a rank, one is the total of something that is not a metric, or names
 *   as `before` none of its readings, or is no total
 */
export function metricsOf(models: readonly Pick<Model, 'file' | 'metric'>[]): Metric[] {
  const found = models.flatMap(({ file, metric }) => (metric ? [{ file, metric }] : []));
  found.sort((a, b) => a.metric.rank - b.metric.rank);
  const names = new Set(found.map(({ metric }) => metric.name));
  for (const [i, { file, metric }] of found.entries()) {
    const before = found[i - 1];
    if (before?.metric.rank === metric.rank)
      throw new FirnError('failed', `${file} has the rank ${metric.rank} of ${before.file}.`);
    if (metric.total_of !== null && !names.has(metric.total_of))
      throw new FirnError('failed', `${file}: the header's metric.total_of names no metric.`);
    if (metric.before !== null && (metric.total_of === null || metric.variants[metric.before] === undefined))
      throw new FirnError('failed', `${file}: the header's metric.before names none of the variants of a total.`);
  }
  return found.map(({ metric }) => metric);
}
