import { literal } from '../core/sqlText.ts';
import { querySql } from '../load/packageFiles.ts';
import type { Statements } from '../load/transaction.ts';

/**
 * Notes until when the tables made from dropped raw rows stay as they are. What is computed again later must still find the block before
 * it, so this is the hour after the first block that stays; a chain without such a block goes on from its newest.
 *
 * @param cut rows from before were dropped
 */
export async function freezeHistory(tx: Statements, cut: string): Promise<void> {
  const [blocks] = await tx.query(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'mart' AND table_name = 'fct_block'`,
  );
  if (!blocks) return;
  await tx.run(querySql('freeze_history', { cut: `TIMESTAMP ${literal(cut)}` }));
}
