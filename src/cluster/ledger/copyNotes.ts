import { identifier } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { Sql } from './control.ts';
import { copyRows } from './copyRows.ts';

/** Rows that go over in one statement: of records in quarantine each may be some hundred kilobytes long, and a text has no more than 512 MB. */
export const notesAtOnce = (name: string): number => (name === 'quarantine' ? 100 : 10_000);

/**
 * Makes a table of firn's own in a database of this machine hold what the ledger knows.
 *
 * @param order columns by which the ledger's rows are told apart
 */
export async function copyNotes(sql: Sql, to: Statements, name: string, order: string): Promise<void> {
  const described = await to.query<{ column_name: string }>(`DESCRIBE firn.${name}`);
  const columns = described.map(({ column_name }) => identifier(column_name)).join(', ');
  await to.run(`DELETE FROM firn.${name}`);
  const atOnce = notesAtOnce(name);
  for (let at = 0; ; at += atOnce) {
    const select = `SELECT ${columns} FROM firn.${name} ORDER BY ${order} LIMIT ${atOnce} OFFSET ${at}`;
    if ((await copyRows(sql, to, `firn.${name}`, select)) < atOnce) return;
  }
}
