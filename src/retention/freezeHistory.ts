import { literal } from '../core/text/sqlText.ts';
import { hasRelation } from '../load/database/hasRelation.ts';
import type { Statements } from '../load/database/transaction.ts';
import { querySql } from '../load/packageFiles.ts';

/**
 * The chains of which blocks below others are still to be read, by their names in raw tables: of these nothing may go, and no time is settled.
 * They would not be built any more.
 */
export async function unmetChains(warehouse: Pick<Statements, 'query'>): Promise<readonly string[]> {
  if (!(await hasBlocks(warehouse))) return [];
  const rows = await warehouse.query<{ name: string }>(querySql('unmet_chains'));
  return rows.map(({ name }) => name);
}

/**
 * Notes until when the tables made from dropped raw rows stay as they are. What is computed again later must still find the block before
 * it, so this is the hour after the first block that stays. A chain of which nothing went goes on as it is.
 *
 * @param cut rows from before were dropped
 * @param of chains that wait, of which nothing was, and those of which rows went that hours are built from, by their names in raw tables
 */
export async function freezeHistory(
  tx: Statements,
  cut: string,
  { waiting, lost }: { readonly waiting: readonly string[]; readonly lost: readonly string[] },
): Promise<void> {
  if (!(await hasBlocks(tx))) return;
  const of = { waiting: listSql(waiting), lost: listSql(lost) };
  await tx.run(querySql('freeze_history', { cut: `TIMESTAMP ${literal(cut)}`, ...of }));
}

/** Texts as a list in SQL, of which IN takes also an empty one. */
export const listSql = (texts: readonly string[]): string => `(${['', ...texts].map(literal).join(', ')})`;

const hasBlocks = (state: Pick<Statements, 'query'>) => hasRelation(state, 'mart', 'fct_block');
