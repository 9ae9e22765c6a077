import type { RangeStream } from '../../core/stream/stream.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';

/** Selects what tells of positions of which everything was read that a stream keeps, or the source failed to give it. */
export function wholeSql({ id, keeps, children }: RangeStream): string {
  const table = keeps && children[keeps.told]?.table;
  if (!table) throw new TypeError(`${id} keeps nothing of what was read before`);
  return `SELECT * FROM ${table.name} WHERE ${identifier(keeps.column)} = ${literal(keeps.is)}`;
}
