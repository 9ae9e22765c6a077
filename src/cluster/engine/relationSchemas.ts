import { groupBy } from '../../core/groupBy.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Engine } from '../contract.ts';

/** The schemas of a lake: of those that are published `refs` belongs to one machine. */
const lakeSchemas = ['raw', 'staging', 'mart', 'firn'] as const;

/** Where readers find `mart.fct_block`: `published_mart.fct_block`, with the prefix of the catalog's schemas before it. */
export const publishedName = (relation: string): string => `published_${relation}`;

/** Which of a lake's schemas are meant. */
interface Schemas {
  /** What their names begin with, such as `published_`. */
  readonly prefix?: string;
  /** Default: all. To know the columns of a table, an engine has to open it: so only those that are needed. */
  readonly schemas?: readonly (typeof lakeSchemas)[number][];
}

/** What SQL calls the schemas of a lake. */
export const lakeSchemaNames = (
  { name }: Pick<Engine, 'name'>,
  { prefix = '', schemas = lakeSchemas }: Schemas = {},
): string[] => schemas.map((schema) => name(`${prefix}${schema}.x`).slice(0, -2));

/**
 * The condition that picks firn's own relations from the information schema. It names the schemas one by one: to judge a condition on part of a
 * name, an engine has to read every table of the catalog. Trino does that, too, for each schema that does not exist, and gives what it found once
 * for each: so `claim` makes them all, and whoever needs one row per column asks for DISTINCT ones.
 */
export const ownSchemas = (
  engine: Pick<Engine, 'name'>,
  { column = 'table_schema', ...which }: Schemas & { readonly column?: string } = {},
): string => `${column} IN (${lakeSchemaNames(engine, which).map(literal).join(', ')})`;

/** The columns of own relations as the schema of the catalog has them, under the names that SQL gives their schemas. */
export const ownColumns = (engine: Pick<Engine, 'name'>): string =>
  `(SELECT DISTINCT substr(table_schema, ${engine.name('').length + 1}) AS table_schema, table_name, column_name, ordinal_position, data_type
    FROM information_schema.columns WHERE ${ownSchemas(engine)})`;

/** Names of columns by relation, in the order of the rows. */
export function columnsByRelation(
  rows: readonly { readonly relation: string; readonly column_name: string }[],
): Map<string, string[]> {
  const found = groupBy(rows, ({ relation }) => relation);
  return new Map(Array.from(found, ([relation, own]) => [relation, own.map(({ column_name }) => column_name)]));
}
