import type { Warehouse } from '../load/warehouse.ts';
import type { BucketRun } from './bucketRuns.ts';
import { timestampOf } from './bucketTime.ts';
import type { PlacedModel } from './model.ts';
import { withScope } from './scope.ts';

/** After every moment there is. */
const never = '9999-12-31 00:00:00';

/** Replaces the rows of buckets that changed in a table kept by bucket. Rows of cumulative metrics are left alone. */
export async function buildBuckets(
  warehouse: Warehouse,
  model: PlacedModel,
  runs: readonly BucketRun[],
): Promise<void> {
  const others = 'metric' in model.columns ? ` AND NOT starts_with(metric, 'cumulative')` : '';
  for (const { chain, interval, from, until } of runs) {
    const [begin, end] = [timestampOf(from), timestampOf(until)];
    await warehouse.run(
      `DELETE FROM ${model.name} WHERE chain_id = $1 AND time_interval = $2
         AND bucket >= $3::TIMESTAMP AND bucket < $4::TIMESTAMP${others}`,
      [chain, interval, begin, end],
    );
    const scope = {
      firn_chain: chain,
      firn_interval: interval,
      firn_from: begin,
      firn_until: end,
      firn_series_from: never,
    };
    await withScope(warehouse, scope, () => warehouse.run(`INSERT INTO ${model.name} ${model.sql}`));
  }
}

/** Replaces the rows of cumulative metrics from a day on: what changed there changed every later level. */
export async function buildCumulative(
  warehouse: Warehouse,
  model: PlacedModel,
  fromDays: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [chain, day] of fromDays) {
    const begin = timestampOf(day);
    await warehouse.run(
      `DELETE FROM ${model.name} WHERE chain_id = $1 AND time_interval = 'day' AND bucket >= $2::TIMESTAMP AND starts_with(metric, 'cumulative')`,
      [chain, begin],
    );
    const scope = {
      firn_chain: chain,
      firn_interval: 'day',
      firn_from: never,
      firn_until: never,
      firn_series_from: begin,
    };
    await withScope(warehouse, scope, () => warehouse.run(`INSERT INTO ${model.name} ${model.sql}`));
  }
}

/** The first day of each chain that runs touch. */
export function firstDays(runs: readonly BucketRun[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { chain, interval, from } of runs) {
    if (interval === 'day') first.set(chain, Math.min(first.get(chain) ?? from, from));
  }
  return first;
}
