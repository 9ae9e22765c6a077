import type { Note } from '../contract.ts';
import type { Sql } from './control.ts';

/** A row whose columns of JSON hold lists and objects. */
export type JsonNote = Readonly<Record<string, Note[string] | object>>;

/**
 * Inserts rows by the names of their columns, all in one statement.
 *
 * @param rows have the columns of the first one
 * @param rest what follows the SELECT: their order, and what is done with those that are there
 */
export async function insert(sql: Sql, table: string, rows: readonly JsonNote[], rest = ''): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first).map((name) => `"${name}"`);
  await sql.query(
    `INSERT INTO firn.${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM json_populate_recordset(NULL::firn.${table}, $1) ${rest}`,
    [JSON.stringify(rows)],
  );
}
