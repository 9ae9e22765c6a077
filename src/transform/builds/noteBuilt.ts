import type { Statements } from '../../load/database/transaction.ts';
import type { BuiltModel } from './builtModel.ts';

/**
 * Counts the rows of every table and notes them in `firn.model`.
 *
 * @param staying tables that were not built, by lower-case names; null where none was
 */
export async function noteBuilt(
  warehouse: Statements,
  built: readonly BuiltModel[],
  staying: ReadonlySet<string> | null,
): Promise<BuiltModel[]> {
  const tables = built.filter(({ kind }) => kind === 'table');
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*) AS "rows" FROM ${name}`);
  const rows =
    tables.length > 0 ? await warehouse.query<{ name: string; rows: bigint }>(counts.join(' UNION ALL ')) : [];
  const byName = new Map(rows.map((row) => [row.name, Number(row.rows)]));
  const counted = built.map((model) => ({ ...model, rows: byName.get(model.name) ?? 0 }));
  if (!staying) return counted;
  const values = counted.map(({ name, rows: count, seconds }) => {
    return `('${name}', ${count}, ${seconds}, ${staying.has(name.toLowerCase())})`;
  });
  await warehouse.run(
    `UPDATE firn.model AS m SET "rows" = b."rows", seconds = CASE WHEN stays THEN m.seconds ELSE b.seconds END,
       built_at = CASE WHEN stays THEN m.built_at ELSE now()::TIMESTAMP END
     FROM (VALUES ${values.join(', ')}) AS b (name, "rows", seconds, stays) WHERE b.name = m.name`,
  );
  return counted;
}
