import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { type DirtyRange, withinSql } from '../changes/dirtyRanges.ts';
import type { PlacedModel } from '../models/model.ts';
import { BuildStop, isOverflow } from '../overflowError.ts';
import { withScope } from '../scope.ts';
import { insertModel } from './insertModel.ts';
import { narrowed } from './narrowed.ts';

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
    const condition = inHours(column, { chain, from, until });
    await warehouse.run(`DELETE FROM ${model.name} WHERE ${condition}`);
    if (first > last) continue;
    try {
      await insertHeights(warehouse, narrowed(model, condition), chain, first, last);
    } catch (error) {
      throw isOverflow(error) ? new BuildStop(error, { model: model.name, chain, first, last }) : error;
    }
  }
}

/** Which rows of a table kept by time belong to some hours of a chain, in SQL. */
export const inHours = (column: string, hours: Pick<DirtyRange, 'chain' | 'from' | 'until'>): string =>
  `chain_id = ${literal(hours.chain)} AND ${withinSql(`"${column}"`, [hours])}`;

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
