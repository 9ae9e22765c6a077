import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { type SqlPlace, sqlError } from '../sqlError.ts';
import { parseTree } from './parseTree.ts';

type Node = Readonly<Record<string, unknown>>;

interface Named {
  /** Tables and views, as `schema.table`. Names without a schema (CTEs) do not count. */
  readonly relations: readonly string[];
  /** Strings that it compares with `variant()`. */
  readonly variants: readonly string[];
  /** Functions and macros that it calls. */
  readonly calls: readonly string[];
}

/** What a statement names; or why DuckDB cannot parse it. */
export type References = Named | FirnError;

/** What statements name that were parsed before: all models take 20 ms, in each build of a process that stays. */
const known = new Map<string, Named>();

/** What each statement names, found by DuckDB's own parser. */
export async function modelReferences(
  warehouse: Pick<Statements, 'query'>,
  statements: readonly (SqlPlace & { readonly name: string; readonly sql: string })[],
): Promise<Map<string, References>> {
  const fresh = [...new Set(statements.map(({ sql }) => sql))].filter((sql) => !known.has(sql));
  const rows =
    fresh.length === 0
      ? []
      : await warehouse.query<{ sql: string; tree: string }>(
          `SELECT text AS sql, json_serialize_sql(text) AS tree FROM (VALUES ${fresh.map((sql) => `(${literal(sql)})`).join(', ')}) AS model (text)`,
        );
  const trees = new Map(rows.map(({ sql, tree }) => [sql, tree]));
  return new Map(
    statements.map((statement) => {
      const found = known.get(statement.sql) ?? references(statement, trees.get(statement.sql) ?? '{}');
      if (!(found instanceof FirnError)) known.set(statement.sql, found);
      return [statement.name, found];
    }),
  );
}

function references({ sql, ...place }: SqlPlace & { readonly sql: string }, text: string): References {
  const { error, error_message, position = 0, statements = [] } = parseTree(text);
  if (error) {
    const line = place.line + sql.slice(0, Number(position)).split('\n').length - 1;
    return sqlError({ ...place, line }, new Error(`It is not one SELECT: ${error_message}`));
  }
  if (statements.length !== 1) return sqlError(place, new Error(`It is not one SELECT, but ${statements.length}.`));
  const relations = new Set<string>();
  const variants = new Set<string>();
  const calls = new Set<string>();
  collect(statements, { relations, variants, calls });
  return { relations: [...relations].sort(), variants: [...variants].sort(), calls: [...calls].sort() };
}

function collect(node: unknown, found: Readonly<Record<keyof Named, Set<string>>>): void {
  if (node === null || typeof node !== 'object') return;
  const { relations, variants, calls } = found;
  const { type, schema_name: schema, table_name: table, function_name: called, left, right, children } = node as Node;
  if (typeof called === 'string') calls.add(called.toLowerCase());
  if (type === 'BASE_TABLE' && schema && table) relations.add(`${schema}.${table}`);
  // A comparison has two sides, IN has a list.
  const compared = [left, right, ...(Array.isArray(children) ? children : [])] as (Node | undefined)[];
  if (compared.some((side) => side?.['function_name'] === 'variant')) {
    for (const side of compared) {
      const constant = side?.['type'] === 'VALUE_CONSTANT' ? (side['value'] as Node)['value'] : undefined;
      if (typeof constant === 'string') variants.add(constant);
    }
  }
  for (const child of Object.values(node)) collect(child, found);
}
