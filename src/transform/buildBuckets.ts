import { literal } from '../core/sqlText.ts';
import type { Statements } from '../load/transaction.ts';
import { bucketSpan, type Stretch, widestSpan } from './bucketStretches.ts';
import { intervals, timestampOf } from './bucketTime.ts';
import type { PlacedModel } from './model.ts';
import { type Scope, withScope } from './scope.ts';

/** Later than any moment. */
const never = Date.UTC(9999, 11, 31) / 1000;

/**
 * Replaces the rows of the buckets that stretches of time touch, in a table kept by bucket. Rows of levels that grow since genesis are
 * replaced from a day on: what changed there changed every later level.
 *
 * @param levels metrics that are such levels
 * @param cumulativeFrom that day by chain (Unix seconds)
 */
export async function buildBuckets(
  warehouse: Statements,
  model: PlacedModel,
  stretches: readonly Stretch[],
  levels: readonly string[],
  cumulativeFrom: ReadonlyMap<string, number>,
): Promise<void> {
  const hasMetrics = 'metric' in model.columns;
  const isLevel = `metric IN (${levels.map(literal).join(', ')})`;
  const replaced =
    hasMetrics && levels.length > 0
      ? `CASE WHEN ${isLevel} THEN from_bucket(chain_id, time_interval, bucket) ELSE ${ofBuckets} END`
      : ofBuckets;
  const chains = new Set([...stretches.map(({ chain }) => chain), ...(hasMetrics ? cumulativeFrom.keys() : [])]);
  for (const chain of chains) {
    const own = stretches.filter((stretch) => stretch.chain === chain);
    // Even where none of its buckets changed, a proof far back may have changed what is known since genesis.
    for (const [i, stretch] of (own.length > 0 ? own : [{ chain, from: never, until: never + 1 }]).entries()) {
      const seriesFrom = i === 0 ? (cumulativeFrom.get(chain) ?? never) : never;
      await withScope(warehouse, scopeOf(stretch, seriesFrom), async () => {
        await warehouse.run(`DELETE FROM ${model.name} WHERE ${replaced}`);
        await warehouse.run(`INSERT INTO ${model.name} ${model.sql}`);
      });
    }
  }
}

const ofBuckets = 'in_buckets(chain_id, time_interval, bucket)';

function scopeOf(stretch: Stretch, seriesFrom: number): Scope {
  const widest = widestSpan(stretch);
  const bounds = intervals.flatMap((interval) => {
    const { from, until } = bucketSpan(interval, stretch);
    return [
      [`firn_${interval}_from`, timestampOf(from)],
      [`firn_${interval}_until`, timestampOf(until)],
    ];
  });
  return {
    firn_chain: stretch.chain,
    firn_widest_from: timestampOf(widest.from),
    firn_widest_until: timestampOf(widest.until),
    ...Object.fromEntries(bounds),
    firn_series_from: timestampOf(seriesFrom),
  };
}
