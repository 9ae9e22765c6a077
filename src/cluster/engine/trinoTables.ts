import { isDeepStrictEqual } from 'node:util';
import { literal } from '../../core/sqlText.ts';
import type { LakeTable } from '../contract.ts';
import { askedOnce } from './askedOnce.ts';
import { keptColumns, keptName, newestRows } from './lakeTable.ts';
import { columnsByRelation } from './relationSchemas.ts';
import type { StagedTables } from './stagedTables.ts';
import { bare, definitions, schemaOf, type TrinoLake } from './trinoLake.ts';

/** The tables that were checked, and are as they should be. */
export interface TrinoTables {
  /** Makes a table that is missing, and adds columns that it lacks. */
  ensure(table: LakeTable): Promise<void>;
  /** The one of a name; undefined before it was checked. */
  known(name: string): LakeTable | undefined;
  /** Checks a table again before its next use: somebody may have dropped or changed it. */
  forget(name: string): void;
}

export function trinoTables({ run, name, schemas, writing }: TrinoLake, staged: StagedTables): TrinoTables {
  const tables = new Map<string, LakeTable>();
  const ensured = new Set<string>();
  /** Columns of the tables of a schema as they were when it was first asked for: it is asked once for all of them. */
  const held = askedOnce(async (schema) => {
    await schemas.get(schema);
    const { rows } = await run<{ relation: string; column_name: string }>(
      `SELECT table_name AS relation, column_name FROM information_schema.columns WHERE table_schema = ${literal(schema)}`,
    );
    return columnsByRelation(rows);
  });

  async function addColumns(table: LakeTable, kept: string, lacking: readonly string[]): Promise<void> {
    // First: once the columns are there nobody looks again, and what ends in between would leave staged files without them.
    await staged.drop(table);
    for (const definition of lacking) await run(`ALTER TABLE ${kept} ADD COLUMN IF NOT EXISTS ${definition}`);
    held.forget(schemaOf(kept));
    // A snapshot has the columns of its day. Writing one row again, unchanged, makes a newer one.
    await run(
      `UPDATE ${kept} SET firn_row = firn_row WHERE firn_row = 0 AND firn_batch = (SELECT max(firn_batch) FROM ${kept})`,
      writing,
    );
  }

  /** The view of the newest rows; one that shows all columns stays as it is. */
  async function ensureView(table: LakeTable, kept: string, relations: Map<string, string[]>): Promise<void> {
    const view = bare(name(table.name)).toLowerCase();
    const columns = keptColumns(table).map((column) => column.name.toLowerCase());
    if (columns.every((column) => relations.get(view)?.includes(column))) return;
    await run(`CREATE OR REPLACE VIEW ${name(table.name)} AS ${newestRows(table, kept, name)}`);
    relations.set(view, columns);
  }

  /** Children that are checked at once have one parent, which is checked by the first of them. */
  const underWay = new Map<string, Promise<void>>();
  const ensure: TrinoTables['ensure'] = async (table) => {
    for (let other = underWay.get(table.name); other; other = underWay.get(table.name)) await other;
    if (ensured.has(table.name) && isDeepStrictEqual(tables.get(table.name), table)) return;
    const checking = check(table).finally(() => underWay.delete(table.name));
    underWay.set(table.name, checking);
    await checking;
  };

  async function check(table: LakeTable): Promise<void> {
    if (table.parent) await ensure(table.parent);
    const kept = name(keptName(table));
    const relations = await held.get(schemaOf(kept));
    const there = relations.get(bare(kept).toLowerCase());
    const columns = keptColumns(table).map((column) => column.name.toLowerCase());
    if (!there) {
      await run(`CREATE TABLE IF NOT EXISTS ${kept} (${definitions(table).join(', ')})`);
      relations.set(bare(kept).toLowerCase(), columns);
    }
    const lacking = definitions(table).filter((_, i) => there && !there.includes(columns[i] as string));
    if (lacking.length > 0) await addColumns(table, kept, lacking);
    if (table.replacedBy) await ensureView(table, kept, relations);
    tables.set(table.name, table);
    ensured.add(table.name);
  }

  return {
    ensure,
    known: (of) => tables.get(of),
    forget(of) {
      ensured.delete(of);
      held.forget(schemaOf(name(of)));
    },
  };
}
