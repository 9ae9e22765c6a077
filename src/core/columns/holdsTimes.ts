import type { Table } from './table.ts';

/** Whether a column of a table, such as its range, holds times. */
export const holdsTimes = ({ columns }: Pick<Table, 'columns'>, column: string | undefined): boolean =>
  columns.find(({ name }) => name === column)?.type === 'timestamp';
