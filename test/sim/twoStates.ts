import { DuckDBInstance } from '@duckdb/node-api';
import { literal } from '../../src/core/text/sqlText.ts';

type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/** What becomes of a transaction and its outputs after they were read; they are not read again. */
const later = /^(reward_tx_hash|staked|consuming_.*|credentials)$/;

/** Whether two states must have the same in a column: not where it tells when it was read, or what came later. */
export const isCompared = (relation: string, column: string): boolean =>
  (column === '_extra' || !column.startsWith('_')) &&
  !(relation.startsWith('raw.data_primary_transactions') && later.test(column));

/**
 * Asks two states at once, as `tested` and `"right"`.
 *
 * @param tested path of a database, as is `right`
 */
export async function askBoth<T>(tested: string, right: string, work: (query: Query) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const query: Query = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  try {
    await query(`ATTACH ${literal(tested)} AS tested (READ_ONLY); ATTACH ${literal(right)} AS "right" (READ_ONLY)`);
    return await work(query);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
