import { literal } from '../../core/text/sqlText.ts';
import type { Engine, LakeTable } from '../contract.ts';
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
export async function queryLake<R extends Record<string, unknown>>(
  { engine, tables }: AppliedLake,
  sql: string,
  values: Readonly<Record<string, string>> = {},
): Promise<R[]> {
  for (const table of tables)
    if (new RegExp(`\\b${table.name.replace('.', '\\.')}\\b`).test(sql)) await engine.ensureTable(table);
  const whole = withValues(sql, values);
  return engine.query<R>(engine.dialect === 'trino' ? renderForTrino(whole, renderingOf(engine, [])) : whole);
}

/** A statement with the values of the parameters that it names with `$` in their places. */
export const withValues = (sql: string, values: Readonly<Record<string, string>>): string =>
  sql.replace(/\$(\w+)/g, (said, name: string) => (name in values ? literal(values[name] as string) : said));
