import type { Engine, LakeTable, Ledger } from '../contract.ts';
import { keptName } from '../engine/lakeTable.ts';
import type { Control } from '../ledger/control.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { renderingOf } from './cut.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { ownTables } from './ownTables.ts';

/** A lake whose tables have all columns. */
interface ChangingLake {
  readonly control: Control;
  readonly engine: Engine;
  readonly ledger: Pick<Ledger, 'pendingTables'>;
  readonly tables: readonly LakeTable[];
}

/**
 * Makes the changes to old rows that scripts of `sql/cluster`, or partitions that go on under another name, left to the lake. The next build
 * then makes anew what is made of these rows. Tables of which rows wait to be applied stay for a later call. Repeating it changes nothing.
 */
export async function changeOldRows({ control, engine, ledger, tables }: ChangingLake): Promise<void> {
  const changes = await control.query<{ id: string; table_name: string; statement: string }>(
    'SELECT id, table_name, statement FROM firn.lake_change ORDER BY id',
  );
  if (changes.length === 0) return;
  const waiting = new Set(await ledger.pendingTables());
  const isHeld = await heldRelations(engine);
  for (const { id, table_name: name, statement } of changes) {
    if (waiting.has(name)) continue;
    const table = [...tables, ...ownTables].find((one) => one.name === name);
    if (table && isHeld(keptName(table))) await engine.run(renderForTrino(statement, renderingOf(engine, [])));
    await control.transaction(async (sql) => {
      // No model reads loads.
      if (name.startsWith('raw.')) await sql.query(`UPDATE firn.build SET models_hash = 'old rows changed'`);
      await sql.query('DELETE FROM firn.lake_change WHERE id = $1', [id]);
    });
  }
}
