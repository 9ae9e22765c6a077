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
