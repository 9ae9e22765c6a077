import { literal } from '../core/text/sqlText.ts';
import type { Statements, Values } from '../load/database/transaction.ts';

/**
 * What is being built: the parameters of the models, by the names of their session variables (`sql/schema/003_macros.sql`). Heights and
 * load numbers are bigint; names that end in `_from`, `_until` or `_since` hold TIMESTAMP text in UTC.
 */
export type Scope = Readonly<Record<`firn_${string}`, string | bigint>>;

/** Runs `work` with these parameters set, and unsets them afterwards. */
export async function withScope<T>(warehouse: Statements, scope: Scope, work: () => Promise<T>): Promise<T> {
  const set = Object.entries(scope).map(([name, value]) => `SET VARIABLE ${name} = ${valueText(name, value)}`);
  await warehouse.run(set.join('; '));
  try {
    return await work();
  } finally {
    const unset = Object.keys(scope).map((name) => `RESET VARIABLE ${name}`);
    // After a fatal error the instance is dead, and the first error is the one to report.
    await warehouse.run(unset.join('; ')).catch(() => {});
  }
}

/** Unsets what could not be unset, since a statement had failed in the transaction: all that is read from then on would be narrowed to it. */
export async function leaveScopes(warehouse: Statements): Promise<void> {
  const left = await warehouse.query<{ name: string }>(
    "SELECT name FROM duckdb_variables() WHERE starts_with(name, 'firn_')",
  );
  for (const { name } of left) await warehouse.run(`RESET VARIABLE ${name}`);
}

const valueText = (name: string, value: string | bigint): string =>
  typeof value === 'bigint' ? `${value}::BIGINT` : textInScope(name, value);

/** A parameter that is text, as SQL: some are times, by the ends of their names. */
export const textInScope = (name: string, value: string): string =>
  /_(from|until|since)$/.test(name) ? `TIMESTAMP ${literal(value)}` : literal(value);

/** Reads from the warehouse, or from what takes its place, if need be with parameters of models. */
export interface ScopedQuery extends Pick<Statements, 'query'> {
  queryIn<R extends object = Record<string, unknown>>(scope: Scope, sql: string, values?: Values): Promise<R[]>;
}

/** Reading of a warehouse. */
export const scopedQuery = (warehouse: Statements): ScopedQuery => ({
  query: (sql, values) => warehouse.query(sql, values),
  queryIn: (scope, sql, values) => withScope(warehouse, scope, () => warehouse.query(sql, values)),
});
