import { literal } from '../../core/text/sqlText.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptName, rowsReadAgain } from '../engine/lakeTable.ts';
import { ownSchemas } from '../engine/relationSchemas.ts';
import { renderingOf } from '../lake/cut.ts';
import { renderForTrino } from '../render/renderForTrino.ts';

/** The engine and the tables that the streams of a configuration fill: what all workers brought, as far as it is applied. */
export interface AppliedLake {
  readonly engine: Engine;
  readonly tables: readonly LakeTable[];
}

/**
 * Runs a SELECT of a stream over the lake, in the words of its engine. Tables that nothing was applied to yet are empty.
 *
 * @param values of the parameters that it names with `$`
 */
export async function queryLake<R extends object = Record<string, unknown>>(
  { engine, tables }: AppliedLake,
  sql: string,
  values: Readonly<Record<string, string>> = {},
): Promise<R[]> {
  const named = tables.filter(({ name }) => new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(sql));
  for (const table of named) await engine.ensureTable(table);
  const again = await readAgain(engine, named);
  const table = (name: string) => again.get(name) ?? engine.name(name);
  return engine.query<R>(renderForTrino(withValues(sql, values), { ...renderingOf(engine, []), table }));
}

/** How SQL reads those of some tables of which positions were read again. */
async function readAgain(engine: Engine, tables: readonly LakeTable[]): Promise<ReadonlyMap<string, string>> {
  const known = new Map(
    tables.flatMap(({ again }) =>
      again
        ? [again, again.parent ?? again].map((table) => [engine.name(keptName(table)).toLowerCase(), table] as const)
        : [],
    ),
  );
  if (known.size === 0) return new Map();
  const relation = `table_schema || '.' || table_name`;
  const rows = await engine.query<{ relation: string }>(
    `SELECT ${relation} AS relation FROM information_schema.tables WHERE ${ownSchemas(engine, { schemas: ['raw'] })} AND ${relation} IN (${[...known.keys()].map(literal).join(', ')})`,
  );
  const there = new Set(rows.map((row) => known.get(row.relation.toLowerCase())));
  // Those that a statement names were made before it.
  const isThere = (table: LakeTable) => tables.includes(table) || there.has(table);
  return new Map(
    tables.flatMap((table) => {
      const select = rowsReadAgain(table, isThere, engine.name);
      return select === undefined ? [] : [[table.name, `(${select})`] as const];
    }),
  );
}

/** A statement with the values of the parameters that it names with `$` in their places. */
export const withValues = (sql: string, values: Readonly<Record<string, string>>): string =>
  sql.replace(/\$(\w+)/g, (said, name: string) => (name in values ? literal(values[name] as string) : said));
