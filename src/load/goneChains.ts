import { querySql } from './packageFiles.ts';
import type { Warehouse } from './warehouse.ts';

/** EVM chain ids of pinned L1s of which nothing is left that a source could contradict, since it was dropped. */
export async function goneChains({ query }: Pick<Warehouse, 'query'>): Promise<ReadonlySet<string>> {
  const [built] = await query(`SELECT 1 FROM duckdb_views() WHERE schema_name = 'staging' AND view_name = 'evm_block'`);
  if (!built) return new Set();
  const gone = await query<{ chain_id: string }>(querySql('gone_chains'));
  return new Set(gone.map(({ chain_id }) => chain_id));
}
