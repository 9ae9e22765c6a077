import type { Declared } from '../core/stream.ts';
import type { Table } from '../core/table.ts';

/** Every table that a stream or action fills: its own, its children's, its revisions'. */
export function tablesOf(catalogue: readonly Declared[]): Table[] {
  return catalogue.flatMap((stream) => [
    stream.table,
    ...Object.values(stream.children).map(({ table }) => table),
    ...(stream.revisions ? [stream.revisions] : []),
  ]);
}
