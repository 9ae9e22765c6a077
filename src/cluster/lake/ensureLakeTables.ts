import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptName } from '../engine/lakeTable.ts';
import { ownSchemas } from '../engine/relationSchemas.ts';

/** Tables that are made at once: each takes some statements, one after the other. */
const atOnce = 4;

/** Adds missing columns to the tables that exist. Tables into which nothing was read yet are not made. */
export async function ensureLakeTables(engine: Engine, tables: readonly LakeTable[]): Promise<void> {
  const held = await heldRelations(engine);
  await mapAtOnce(
    tables.filter((table) => held.has(lower(engine.name(keptName(table))))),
    atOnce,
    (table) => engine.ensureTable(table),
  );
}

/** Names of the tables and views that are there, as SQL calls them. */
export async function heldRelations(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await engine.query<{ relation: string }>(
    `SELECT table_schema || '.' || table_name AS relation FROM information_schema.tables WHERE ${ownSchemas(engine)}`,
  );
  return new Set(rows.map(({ relation }) => lower(relation)));
}

const lower = (name: string) => name.toLowerCase();
