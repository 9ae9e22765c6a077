import { DuckDBInstance } from '@duckdb/node-api';
import { identifier, literal } from '../../src/core/text/sqlText.ts';

/** What becomes of a transaction and its outputs after they were read; they are not read again. */
const later = /^(reward_tx_hash|staked|consuming_.*|credentials)$/;
/**
 * Rows, as they are now, that only one of two states has: a few of each relation, without what firn itself notes of them.
 *
 * @param tested path of a database, as is `right`
 */
export async function stateDifferences(tested: string, right: string, relations: readonly string[]): Promise<string[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  try {
    await query(`ATTACH ${literal(tested)} AS tested (READ_ONLY); ATTACH ${literal(right)} AS "right" (READ_ONLY)`);
    const found: string[] = [];
    for (const relation of relations) {
      const described = await query(`DESCRIBE tested.${relation}`);
      const names = described.map((column) => String(column['column_name']));
      const own = names
        .filter((name) => name === '_extra' || !name.startsWith('_'))
        .filter((name) => !(relation.startsWith('raw.data_primary_transactions') && later.test(name)))
        .map(identifier);
      const now = names.includes('_valid_to') ? 'WHERE _valid_to IS NULL' : '';
      const rows = (state: string) => `SELECT ${own.join(', ')} FROM ${state}.${relation} ${now}`;
      for (const [side, one, other] of [
        ['too many', 'tested', '"right"'],
        ['missing', '"right"', 'tested'],
      ] as const)
        for (const row of await query(`${rows(one)} EXCEPT ALL ${rows(other)} LIMIT 3`))
          found.push(`${relation}, ${side}: ${JSON.stringify(row)}`);
    }
    return found;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
