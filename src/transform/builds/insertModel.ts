import type { Statements } from '../../load/database/transaction.ts';
import type { PlacedModel } from '../models/model.ts';

/**
 * Adds the rows of a model to its table. They pass a common table, which gives them an order: for every INSERT that threads fill in any
 * order, however few its rows, DuckDB holds up to a megabyte until the transaction ends.
 *
 * @returns how many
 */
export const insertModel = (warehouse: Statements, { name, sql }: PlacedModel): Promise<number> =>
  warehouse.run(`INSERT INTO ${name} WITH firn_rows AS MATERIALIZED (${sql}\n) FROM firn_rows`);
