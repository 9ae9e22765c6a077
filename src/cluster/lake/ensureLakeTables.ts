import type { Engine, LakeTable } from '../contract.ts';
import { keptColumns, keptName } from '../engine/lakeTable.ts';

/** Makes the tables that are missing or lack columns: what nothing was read for is empty, and models read it all the same. */
export async function ensureLakeTables(engine: Engine, tables: readonly LakeTable[]): Promise<void> {
  const rows = await engine.query<{ held: string }>(
    `SELECT table_schema || '.' || table_name || '.' || column_name AS held FROM information_schema.columns`,
  );
  const held = new Set(rows.map((row) => row.held.toLowerCase()));
  for (const table of tables) {
    const names = [keptName(table), table.name].map(engine.name);
    const isThere = names.every((name) =>
      keptColumns(table).every((column) => held.has(`${name}.${column.name}`.toLowerCase())),
    );
    if (!isThere) await engine.ensureTable(table);
  }
}
