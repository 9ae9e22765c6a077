import type { Stream } from '../../core/stream.ts';
import type { Table } from '../../core/table.ts';

/** The tables of a stream whose current rows a read compares with what it is answered: those that keep a history, and those with revisions. */
export function remembered({ way, table, children, revisions }: Stream): Table[] {
  if (revisions) return [table];
  if (way !== 'snapshot') return [];
  const own = [table, ...Object.values(children).map((child) => child.table)];
  return own.flatMap((one) => [one, ...(one.volatile ? [one.volatile.daily] : [])]);
}
