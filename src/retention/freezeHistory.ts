import { literal } from '../core/sqlText.ts';
import type { Statements } from '../load/transaction.ts';

/**
 * Notes until when the tables made of dropped raw rows stay as they are. What is computed again later must still find the block before
 * it, so this is the hour after the first block that stays; a chain without any such block goes on from its newest.
 *
 * @param cut rows from before were dropped
 */
export async function freezeHistory(tx: Statements, cut: string): Promise<void> {
  const [blocks] = await tx.query(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'mart' AND table_name = 'fct_block'`,
  );
  if (!blocks) return;
  await tx.run(`
    CREATE OR REPLACE TEMP TABLE firn_frozen_now AS
    SELECT chain_id, greatest(
      (SELECT max(until) FROM firn.frozen AS old WHERE old.chain_id = f.chain_id),
      coalesce(
        date_trunc('hour', min(block_time) FILTER (WHERE block_time >= TIMESTAMP ${literal(cut)})) + INTERVAL 1 HOUR,
        date_trunc('hour', max(block_time))
      )
    ) AS until
    FROM mart.fct_block AS f GROUP BY chain_id HAVING min(block_time) FILTER (WHERE "number" > 0) < TIMESTAMP ${literal(cut)};
    DELETE FROM firn.frozen WHERE chain_id IN (SELECT chain_id FROM temp.firn_frozen_now);
    INSERT INTO firn.frozen SELECT chain_id, until FROM temp.firn_frozen_now;
    DROP TABLE temp.firn_frozen_now`);
}
