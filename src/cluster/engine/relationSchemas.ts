import { literal } from '../../core/sqlText.ts';
import type { Engine } from '../contract.ts';

/** Schemas that relations are named by. */
export const relationSchemas = ['raw', 'staging', 'mart', 'firn', 'refs'] as const;

/** Beside them: what a warehouse that was moved here left, which no model names. */
const frozen = 'frozen';

/**
 * The condition by which the schema of the catalog tells of own relations. The schemas stand in it one by one: of a condition on a part of the
 * name an engine knows nothing before it has read every table of the catalog. Trino gives each column once for each of these schemas that is there: whoever
 * counts on one row a column asks for DISTINCT ones.
 *
 * @param prefix what the names begin with, such as `published_`
 */
export const ownSchemas = ({ name }: Pick<Engine, 'name'>, column = 'table_schema', prefix = ''): string =>
  `${column} IN (${[...relationSchemas, frozen].map((schema) => literal(name(`${prefix}${schema}.x`).slice(0, -2))).join(', ')})`;

/** The columns of own relations as the schema of the catalog has them, under the names that SQL gives their schemas. @param prefix as for `ownSchemas` */
export const ownColumns = (engine: Pick<Engine, 'name'>, prefix = ''): string =>
  `(SELECT DISTINCT substr(table_schema, ${engine.name(prefix).length + 1}) AS table_schema, table_name, column_name, ordinal_position, data_type
    FROM information_schema.columns WHERE ${ownSchemas(engine, 'table_schema', prefix)})`;

/** Names of columns by relation, in the order of the rows. */
export function columnsByRelation(
  rows: readonly { readonly relation: string; readonly column_name: string }[],
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { relation, column_name } of rows) {
    const columns = found.get(relation) ?? [];
    found.set(relation, columns);
    columns.push(column_name);
  }
  return found;
}
