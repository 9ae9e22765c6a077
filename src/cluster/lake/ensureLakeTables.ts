import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptName } from '../engine/lakeTable.ts';
import { ownSchemas } from '../engine/relationSchemas.ts';

/** Tables that are made at once: each takes some statements, one after the other. */
const atOnce = 4;

/** Adds missing columns to the tables that exist. Tables into which nothing was read yet are not made. */
export async function ensureLakeTables(engine: Engine, tables: readonly LakeTable[]): Promise<void> {
  const isHeld = await heldRelations(engine);
  const held = tables.filter((table) => isHeld(keptName(table)));
  await mapAtOnce(held, atOnce, (table) => engine.ensureTable(table));
}

/** Which tables and views are there now, asked once. @returns whether one of a name such as `raw.node_evm_blocks` is */
export async function heldRelations(engine: Engine): Promise<(relation: string) => boolean> {
  const rows = await engine.query<{ relation: string }>(
    `SELECT table_schema || '.' || table_name AS relation FROM information_schema.tables WHERE ${ownSchemas(engine)}`,
  );
  const held = new Set(rows.map(({ relation }) => relation.toLowerCase()));
  return (relation) => held.has(engine.name(relation).toLowerCase());
}
