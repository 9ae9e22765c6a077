import type { Row } from '../../core/columns/columnType.ts';
import { hasValues, identifier } from '../../core/text/sqlText.ts';
import type { RowsAt } from '../../run/read/readLinked.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';

/** The rows that a lake holds at positions, by what names them. */
export const rowsInLake =
  (lake: AppliedLake): RowsAt =>
  ({ table, link, position, keeps }, { partition: { values } }, at) => {
    const names = new Set([position, ...(link ? [link.id, link.parent] : []), ...(keeps ? [keeps.sameBy] : [])]);
    return queryLake<Row>(
      lake,
      `SELECT ${[...names].map(identifier).join(', ')} FROM ${table.name} WHERE ${hasValues(values)} AND ${identifier(position)} IN (${at.join(', ')})`,
      values,
    );
  };
