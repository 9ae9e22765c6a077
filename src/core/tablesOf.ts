import type { Declared } from './stream.ts';
import type { Table } from './table.ts';

/** Every table that a stream or action fills: its own, its children's, its revisions', the course of what is volatile. */
export function tablesOf(catalogue: readonly Declared[]): Table[] {
  return catalogue.flatMap(({ table, children, revisions }) => [
    ...[table, ...Object.values(children).map((child) => child.table)].flatMap((own) => [
      own,
      ...(own.volatile ? [own.volatile.daily] : []),
    ]),
    ...(revisions ? [revisions] : []),
  ]);
}
