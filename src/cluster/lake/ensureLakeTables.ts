import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptColumns, keptName } from '../engine/lakeTable.ts';

/** Tables that are made at once: each takes some statements, one after the other. */
const atOnce = 4;

/**
 * Makes what statements read and is missing or lacks columns: what nothing was read for is empty.
 *
 * @param statements SQL that names tables, or names alone
 */
export async function ensureLakeTables(
  engine: Engine,
  tables: readonly LakeTable[],
  statements: readonly string[],
): Promise<void> {
  const rows = await engine.query<{ held: string }>(
    `SELECT table_schema || '.' || table_name || '.' || column_name AS held FROM information_schema.columns`,
  );
  const held = new Set(rows.map((row) => row.held.toLowerCase()));
  const wanted = tables.filter((table) => {
    const isRead = statements.some((sql) => sql.includes(table.name));
    const isThere = [keptName(table), table.name].every((name) =>
      keptColumns(table).every((column) => held.has(`${engine.name(name)}.${column.name}`.toLowerCase())),
    );
    return isRead && !isThere;
  });
  await mapAtOnce(wanted, atOnce, (table) => engine.ensureTable(table));
}

/** Names of the tables and views that are there, as SQL calls them. */
export async function heldRelations(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await engine.query<{ relation: string }>(
    `SELECT table_schema || '.' || table_name AS relation FROM information_schema.tables`,
  );
  return new Set(rows.map(({ relation }) => relation.toLowerCase()));
}
