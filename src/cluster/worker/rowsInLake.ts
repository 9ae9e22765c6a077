import type { Row } from '../../core/columns/columnType.ts';
import { identifier } from '../../core/text/sqlText.ts';
import type { RowsAt } from '../../run/read/readLinked.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';

/** The rows that a lake holds at positions, by what names them. */
export const rowsInLake =
  (lake: AppliedLake): RowsAt =>
  ({ table, link, position, keeps }, { partition: { values } }, at) => {
    const names = new Set([position, ...(link ? [link.id, link.parent] : []), ...(keeps ? [keeps.sameBy] : [])]);
    const of = Object.keys(values).map((column) => ` AND ${identifier(column)} = $${column}`);
    return queryLake<Row>(
      lake,
      `SELECT ${[...names].map(identifier).join(', ')} FROM ${table.name} WHERE ${identifier(position)} IN (${at.join(', ')})${of.join('')}`,
      values,
    );
  };
