import type { Warehouse } from '../load/warehouse.ts';
import type { DirtyRange } from './dirtyRanges.ts';
import type { PlacedModel } from './model.ts';
import { overflowError } from './overflowError.ts';
import { withScope } from './scope.ts';

/** Replaces the rows of changed hours in a table kept by time. */
export async function buildHours(
  warehouse: Warehouse,
  model: PlacedModel,
  column: string,
  ranges: readonly DirtyRange[],
): Promise<void> {
  for (const { chain, from, until, first, last } of ranges) {
    await warehouse.run(
      `DELETE FROM ${model.name} WHERE chain_id = $1 AND "${column}" >= $2::TIMESTAMP AND "${column}" < $3::TIMESTAMP`,
      [chain, from, until],
    );
    const insert = (low: bigint, high: bigint, sql: string) =>
      withScope(warehouse, { firn_chain: chain, firn_first: low, firn_last: high }, () => warehouse.run(sql));
    try {
      await insert(first, last, `INSERT INTO ${model.name} ${model.sql}`);
    } catch (error) {
      throw await overflowError(error, { chain, model: model.name, first, last }, (low, high) =>
        insert(low, high, `CREATE OR REPLACE TEMP TABLE firn_probe AS ${model.sql}`),
      );
    }
  }
}
