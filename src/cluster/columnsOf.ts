import type { Table } from '../core/columns/table.ts';

/** Names of the columns of tables, by the names of these. */
export const columnsOf = (tables: readonly Table[]): ReadonlyMap<string, readonly string[]> =>
  new Map(tables.map((table) => [table.name, table.columns.map(({ name }) => name)]));
