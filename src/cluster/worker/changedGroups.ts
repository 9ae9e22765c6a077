import type { Table } from '../../core/columns/table.ts';
import type { PagedStream } from '../../core/stream/stream.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';

/** The tables of a list of which a lake shows, of rows with one key, those of the newest batch and no others: with the columns of that key. */
function groupsOf({ table, children }: PagedStream) {
  const replaced = Object.values(children).filter(({ write }) => write !== 'union');
  return {
    tables: [table, ...replaced.map((child) => child.table)],
    columns: table.key.filter((name) => name !== 'position').map(identifier),
  };
}

const keysOf = (stream: PagedStream, where = 'true') => {
  const { tables, columns } = groupsOf(stream);
  const each = tables.map(
    ({ name }) => `SELECT ${literal(name)} AS "of", ${columns.join(', ')} FROM ${name} WHERE ${where}`,
  );
  return each.join(' UNION ALL ');
};

/** Notes which rows of a list there are, before a batch is written. */
export const noteGroups = (tx: Statements, stream: PagedStream): Promise<number> =>
  tx.run(`CREATE OR REPLACE TEMP TABLE firn_before AS ${keysOf(stream)}`);

/**
 * Finds what a batch changed: a key of which it wrote rows, or of which it took some away. All rows of such a key go into the lake together.
 *
 * @param id of the load that was written since `noteGroups`
 * @returns the condition on rows of a table; undefined for tables whose rows go alone
 */
export async function changedGroups(
  tx: Statements,
  stream: PagedStream,
  id: number,
): Promise<(table: Table) => string | undefined> {
  const { tables, columns } = groupsOf(stream);
  await tx.run(
    `CREATE OR REPLACE TEMP TABLE firn_changed AS SELECT DISTINCT ${columns.join(', ')} FROM (
       (${keysOf(stream, `_load_id = ${id}`)}) UNION ALL (FROM temp.firn_before EXCEPT ALL (${keysOf(stream, `_load_id <> ${id}`)}))
     )`,
  );
  return (table) => {
    if (!tables.includes(table)) return undefined;
    const same = columns.map((column) => `c.${column} IS NOT DISTINCT FROM ${table.name}.${column}`);
    return `EXISTS (SELECT 1 FROM temp.firn_changed AS c WHERE ${same.join(' AND ')})`;
  };
}
