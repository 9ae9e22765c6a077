import { literal } from '../../../src/core/text/sqlText.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';

/** A moment in SQL, and so many milliseconds after it: no two answers of a node are of one. */
export const moment = (seconds: number, later = 0) =>
  `CAST(${literal(new Date(seconds * 1000 + later).toISOString().slice(0, 23))} AS TIMESTAMP)`;

export const owners = (addresses: readonly Uint8Array[], prefix = '') =>
  `[${addresses.map((one) => literal(`${prefix}${toBech32(one, 'local')}`)).join(', ')}]`;

/** Notes a load of a stream of which rows are written as its reader writes them. */
export async function noteLoad(warehouse: Warehouse, stream: string, partition: string): Promise<number> {
  const [row] = await warehouse.query<{ id: number }>(
    'SELECT CAST(coalesce(max(load_id), 0) + 1 AS INTEGER) AS id FROM firn.load',
  );
  const id = row?.id ?? 1;
  await warehouse.run(
    `INSERT INTO firn.load (load_id, run_id, stream, "partition", pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     VALUES (${id}, 'test', '${stream}', ${literal(partition)}, 1, 1, 1, 0, 1, now()::TIMESTAMP)`,
  );
  return id;
}

/** Writes rows whose values are SQL. */
export async function insertRows(
  warehouse: Warehouse,
  table: string,
  rows: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const values = rows.map((row) => `(${Object.values(row).join(', ')})`);
  await warehouse.run(`INSERT INTO raw.${table} (${Object.keys(first).join(', ')}) VALUES ${values.join(', ')}`);
}
