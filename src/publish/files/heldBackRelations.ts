import type { Statements } from '../../load/database/transaction.ts';

/** Names of the relations that an audit, or a model that cannot be built, keeps from being published as they are. */
export async function heldBackRelations({ query }: Pick<Statements, 'query'>): Promise<ReadonlySet<string>> {
  const names = await query<{ relation: string }>('SELECT DISTINCT relation FROM firn.held_back ORDER BY relation');
  return new Set(names.map(({ relation }) => relation));
}
