import { isAbsolute } from 'node:path';
import { literal } from '../core/sqlText.ts';
import type { Statements } from '../load/transaction.ts';
import { type DirtyRange, withinSql } from './dirtyRanges.ts';
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
      await insertHeights(warehouse, narrowed(model, column, { chain, from, until }), chain, first, last);
    } catch (error) {
      throw isOverflow(error) ? new BuildStop(error, { model: model.name, chain, first, last }) : error;
    }
  }
}

/**
 * The model with the rows of some hours alone. firn's own narrow themselves to the heights that are built (`in_blocks`), and are left as they are: an
 * extension's need not, and rows of other hours are there already.
 */
function narrowed(
  model: PlacedModel,
  column: string,
  hours: Pick<DirtyRange, 'chain' | 'from' | 'until'>,
): PlacedModel {
  if (!isAbsolute(model.file)) return model;
  const within = `chain_id = ${literal(hours.chain)} AND ${withinSql(`"${column}"`, [hours])}`;
  return { ...model, sql: `SELECT * FROM (${model.sql}\n) WHERE ${within}` };
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
