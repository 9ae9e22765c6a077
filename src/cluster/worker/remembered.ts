import type { Stream } from '../../core/stream.ts';
import type { Table } from '../../core/table.ts';

/** The tables of a stream whose current rows a read compares with the answers: those with a history, and those with revisions. */
export function remembered({ way, table, children, revisions }: Stream): Table[] {
  if (revisions) return [table];
  if (way !== 'snapshot') return [];
  const own = [table, ...Object.values(children).map((child) => child.table)];
  return own.flatMap((one) => [one, ...(one.volatile ? [one.volatile.daily] : [])]);
}

/**
 * The rows of such a table that a read compares with: the current ones.
 *
 * @param own condition on the rows of the partition, where the table holds others too
 */
export function currentRows({ name, columns }: Table, own = 'true'): string {
  const has = (column: string) => columns.some((candidate) => candidate.name === column);
  if (has('_valid_to')) return '_valid_to IS NULL';
  return has('day') ? `"day" = (SELECT max("day") FROM ${name} WHERE ${own})` : 'true';
}
