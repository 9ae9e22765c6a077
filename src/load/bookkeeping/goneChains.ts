import { hasRelation } from '../database/hasRelation.ts';
import { querySql } from '../packageFiles.ts';
import type { Warehouse } from '../state/warehouse.ts';

/** EVM chain ids of pinned L1s of which nothing is left that a source could contradict, since it was dropped. */
export async function goneChains(state: Pick<Warehouse, 'query'>): Promise<ReadonlySet<string>> {
  if (!(await hasRelation(state, 'staging', 'evm_block'))) return new Set();
  const gone = await state.query<{ chain_id: string }>(querySql('gone_chains'));
  return new Set(gone.map(({ chain_id }) => chain_id));
}
