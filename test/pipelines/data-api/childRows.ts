import type { PagedStream } from '../../../src/core/stream/stream.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';

/** How many rows a warehouse holds of each child table of a stream, by what its name has beyond the stream's own. */
export async function childRows(
  warehouse: Warehouse,
  { table: own, children }: PagedStream,
): Promise<Record<string, number>> {
  const counts = Object.values(children).map(async ({ table: { name } }) => {
    const [row] = await warehouse.query<{ rows: number }>(`SELECT count(*)::INTEGER AS "rows" FROM ${name}`);
    return [name.replace(`${own.name}_`, ''), row?.rows];
  });
  return Object.fromEntries(await Promise.all(counts));
}
