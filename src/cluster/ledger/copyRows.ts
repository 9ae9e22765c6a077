import type { Statements } from '../../load/database/transaction.ts';
import { insertJson } from '../insertJson.ts';
import type { Sql } from './control.ts';

/**
 * Adds the rows that a SELECT gives of the control database to a table of a database of this machine.
 *
 * @returns how many
 */
export async function copyRows(
  from: Sql,
  to: Pick<Statements, 'run'>,
  table: string,
  select: string,
  values?: readonly unknown[],
): Promise<number> {
  const [found] = await from.query<{ rows: string; held: string }>(
    `SELECT coalesce(json_agg(t), '[]')::text AS rows, count(*) AS held FROM (${select}) AS t`,
    values,
  );
  await insertJson(to, table, found?.rows ?? '[]');
  return Number(found?.held);
}
