import type { Statements } from '../load/transaction.ts';
import type { DirtyRange } from './dirtyRanges.ts';
import { insertModel } from './insertModel.ts';
import type { PlacedModel } from './model.ts';
import { BuildStop, isOverflow } from './overflowError.ts';
import { withScope } from './scope.ts';

/**
 * Replaces the rows of changed hours in a table kept by time.
 *
 * @throws BuildStop where an amount does not fit
 */
export async function buildHours(
  warehouse: Statements,
  model: PlacedModel,
  column: string,
  ranges: readonly DirtyRange[],
): Promise<void> {
  for (const { chain, from, until, first, last } of ranges) {
    await warehouse.run(
      `DELETE FROM ${model.name} WHERE chain_id = $1 AND "${column}" >= $2::TIMESTAMP AND "${column}" < $3::TIMESTAMP`,
      [chain, from, until],
    );
    if (first > last) continue;
    try {
      await insertHeights(warehouse, model, chain, first, last);
    } catch (error) {
      throw isOverflow(error) ? new BuildStop(error, { model: model.name, chain, first, last }) : error;
    }
  }
}

/** Rows of so few heights may pass a common table; for the many rows of a dense history it costs a build a quarter more CPU. */
const fewHeights = 10_000n;

/** Adds the rows of some heights. */
export function insertHeights(
  warehouse: Statements,
  model: PlacedModel,
  chain: string,
  first: bigint,
  last: bigint,
): Promise<number> {
  return withScope(warehouse, { firn_chain: chain, firn_first: first, firn_last: last }, () =>
    last - first < fewHeights ? insertModel(warehouse, model) : warehouse.run(`INSERT INTO ${model.name} ${model.sql}`),
  );
}
