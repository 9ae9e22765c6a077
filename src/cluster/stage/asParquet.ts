import { duckdbType } from '../../core/columns/columnType.ts';
import type { Column, Table } from '../../core/columns/table.ts';
import { identifier } from '../../core/text/sqlText.ts';

/** Unsigned integers go to a type that every reader holds exactly. */
export const asParquet = ({ name, type }: Column): string => {
  const own = identifier(name);
  return duckdbType(type) === 'UBIGINT' ? `${own}::DECIMAL(20, 0) AS ${own}` : own;
};

/** The SELECT of the rows of a table as a batch has them: each is told apart by the batch and its place in it. @param select gives a column */
export const batchRows = ({ name, columns }: Table, batch: number, select = asParquet): string =>
  `SELECT ${columns.map(select).join(', ')}, ${batch}::BIGINT AS firn_batch, row_number() OVER () - 1 AS firn_row FROM ${name}`;
