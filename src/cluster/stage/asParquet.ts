import { duckdbType } from '../../core/columns/columnType.ts';
import type { Column } from '../../core/columns/table.ts';
import { identifier } from '../../core/text/sqlText.ts';

/** Unsigned integers go to a type that every reader holds exactly. */
export const asParquet = ({ name, type }: Column): string => {
  const own = identifier(name);
  return duckdbType(type) === 'UBIGINT' ? `${own}::DECIMAL(20, 0) AS ${own}` : own;
};
