import { literal } from '../core/text/sqlText.ts';
import type { Warehouse } from '../load/state/warehouse.ts';

/**
 * Inserts rows by the names of their members.
 *
 * @param rows JSON list of objects, whose members are columns
 */
export async function insertJson(workbench: Pick<Warehouse, 'run'>, table: string, rows: string): Promise<void> {
  const [first] = JSON.parse(rows) as Record<string, unknown>[];
  if (!first) return;
  const members = Object.fromEntries(Object.keys(first).map((name) => [name, 'VARCHAR']));
  await workbench.run(
    `INSERT INTO ${table} BY NAME SELECT r.* FROM (SELECT unnest(from_json($1::JSON, ${literal(JSON.stringify([members]))})) AS r)`,
    [rows],
  );
}
