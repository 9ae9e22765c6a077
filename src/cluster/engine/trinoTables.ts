import { isDeepStrictEqual } from 'node:util';
import { literal } from '../../core/text/sqlText.ts';
import type { LakeTable } from '../contract.ts';
import { bare, schemaOf } from '../relationName.ts';
import { askedOnce } from './askedOnce.ts';
import { keptColumns, keptName, newestRows } from './lakeTable.ts';
import { columnsByRelation } from './relationSchemas.ts';
import { definitions, type TrinoLake } from './trinoLake.ts';

/** The tables that were checked, and are as they should be. */
export class TrinoTables {
  readonly #lake: TrinoLake;
  readonly #tables = new Map<string, LakeTable>();
  readonly #ensured = new Set<string>();
  /** Children that are checked at once have one parent, which is checked by the first of them. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Columns of the tables of a schema as they were when it was first asked for: it is asked once for all of them. */
  readonly #held;

  constructor(lake: TrinoLake) {
    this.#lake = lake;
    this.#held = askedOnce(async (schema) => {
      await lake.schemas.get(schema);
      const { rows } = await lake.run<{ relation: string; column_name: string }>(
        `SELECT table_name AS relation, column_name FROM information_schema.columns WHERE table_schema = ${literal(schema)}`,
      );
      return columnsByRelation(rows);
    });
  }

  /** Makes a table that is missing, and adds columns that it lacks. */
  async ensure(table: LakeTable): Promise<void> {
    const underWay = this.#underWay;
    for (let other = underWay.get(table.name); other; other = underWay.get(table.name)) await other;
    if (this.#ensured.has(table.name) && isDeepStrictEqual(this.#tables.get(table.name), table)) return;
    const checking = this.#check(table).finally(() => underWay.delete(table.name));
    underWay.set(table.name, checking);
    await checking;
  }

  /** The one of a name; undefined before it was checked. */
  known(name: string): LakeTable | undefined {
    return this.#tables.get(name);
  }

  /** Checks a table again before its next use: somebody may have dropped or changed it. */
  forget(name: string): void {
    this.#ensured.delete(name);
    this.#held.forget(schemaOf(this.#lake.name(name)));
  }

  async #check(table: LakeTable): Promise<void> {
    const { run, name } = this.#lake;
    if (table.parent) await this.ensure(table.parent);
    const kept = name(keptName(table));
    const relations = await this.#held.get(schemaOf(kept));
    const there = relations.get(bare(kept).toLowerCase());
    const columns = keptColumns(table).map((column) => column.name.toLowerCase());
    if (!there) {
      await run(`CREATE TABLE IF NOT EXISTS ${kept} (${definitions(table).join(', ')})`);
      relations.set(bare(kept).toLowerCase(), columns);
    }
    const lacking = definitions(table).filter((_, i) => there && !there.includes(columns[i] as string));
    if (lacking.length > 0) await this.#addColumns(kept, lacking);
    if (table.replacedBy) await this.#ensureView(table, kept, relations);
    this.#tables.set(table.name, table);
    this.#ensured.add(table.name);
  }

  async #addColumns(kept: string, lacking: readonly string[]): Promise<void> {
    const { run } = this.#lake;
    for (const definition of lacking) await run(`ALTER TABLE ${kept} ADD COLUMN IF NOT EXISTS ${definition}`);
    this.#held.forget(schemaOf(kept));
    // A snapshot has the columns of its day. Writing one row again, unchanged, makes a newer one.
    await run(
      `UPDATE ${kept} SET firn_row = firn_row WHERE firn_row = 0 AND firn_batch = (SELECT max(firn_batch) FROM ${kept})`,
    );
  }

  /** The view of the newest rows; one that shows all columns stays as it is. */
  async #ensureView(table: LakeTable, kept: string, relations: Map<string, string[]>): Promise<void> {
    const { run, name } = this.#lake;
    const view = bare(name(table.name)).toLowerCase();
    const columns = keptColumns(table).map((column) => column.name.toLowerCase());
    if (columns.every((column) => relations.get(view)?.includes(column))) return;
    await run(`CREATE OR REPLACE VIEW ${name(table.name)} AS ${newestRows(table, kept, name)}`);
    relations.set(view, columns);
  }
}
