import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { intervals, timestampOf } from '../bucketTime.ts';
import { bucketSpan, type Stretch, widestSpan } from '../changes/bucketStretches.ts';
import type { TouchedStretches } from '../changes/touchedStretches.ts';
import { hasMetrics, type PlacedModel } from '../models/model.ts';
import { type Scope, withScope } from '../scope.ts';
import { insertModel } from './insertModel.ts';
import { narrowed } from './narrowed.ts';

/** Later than any moment. */
const never = Date.UTC(9999, 11, 31) / 1000;

/** Which buckets are to be replaced. */
export interface TouchedBuckets extends TouchedStretches {
  /** Metrics that are levels: they grow since genesis. */
  readonly levels: readonly string[];
}

/**
 * Replaces the rows of the buckets that stretches of time touch, in a table kept by bucket. Rows of levels that grow since genesis are
 * replaced from a day on: what changed there changed every later level.
 */
export async function buildBuckets(warehouse: Statements, model: PlacedModel, touched: TouchedBuckets): Promise<void> {
  const condition = inTouchedBuckets(model, touched);
  for (const scope of touchedScopes(model, touched))
    await withScope(warehouse, scope, async () => {
      await warehouse.run(`DELETE FROM ${model.name} WHERE ${condition}`);
      await insertModel(warehouse, narrowed(model, condition));
    });
}

/**
 * Which rows of a table kept by bucket are replaced in a scope, in SQL.
 *
 * @param of prefix of the columns, such as `t.`
 */
export function inTouchedBuckets(model: PlacedModel, { levels }: Pick<TouchedBuckets, 'levels'>, of = ''): string {
  const place = `(${of}chain_id, ${of}time_interval, ${of}bucket)`;
  if (!hasMetrics(model) || levels.length === 0) return `in_buckets${place}`;
  const isLevel = `${of}metric IN (${levels.map(literal).join(', ')})`;
  return `CASE WHEN ${isLevel} THEN from_bucket${place} ELSE in_buckets${place} END`;
}

/** The scopes in which rows of a table kept by bucket are replaced. */
export function touchedScopes(model: PlacedModel, { stretches, cumulativeFrom }: TouchedBuckets): readonly Scope[] {
  const chains = new Set([...stretches.map(({ chain }) => chain), ...(hasMetrics(model) ? cumulativeFrom.keys() : [])]);
  return [...chains].flatMap((chain) => {
    const own = stretches.filter((stretch) => stretch.chain === chain);
    // Even where none of its buckets changed, a proof far back may have changed what is known since genesis.
    return (own.length > 0 ? own : [{ chain, from: never, until: never + 1 }]).map((stretch, i) =>
      scopeOf(stretch, i === 0 ? (cumulativeFrom.get(chain) ?? never) : never),
    );
  });
}

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
