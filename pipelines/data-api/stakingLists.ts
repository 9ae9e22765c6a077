import type { NetworkFacts } from '../../src/index.ts';
import { addressDigest, addressGroups, commaLists, splitNotes, urlLimits } from './addresses.ts';

/**
 * Staking that is asked for by its owners, by its nodes, by both or by neither: each list of one with each list of the other.
 *
 * @param owner the parameter in which the service takes the owners
 */
export function stakingLists<Owner extends string>(
  owner: Owner,
  given: { readonly [name in Owner | 'nodeIds']?: readonly string[] | undefined },
  network: NetworkFacts,
) {
  const owners = given[owner] && addressGroups(given[owner], network);
  const nodes = given.nodeIds?.map((id) => id.split(','));
  return {
    filters: {
      ...(owners && { [owner]: addressDigest(owners) }),
      ...(nodes && { nodeIds: addressDigest(nodes) }),
    },
    lists: [owner, 'nodeIds'],
    /** The query parameters of each request. */
    requests: commaLists(owners).flatMap((list) => commaLists(nodes).map((nodeIds) => ({ [owner]: list, nodeIds }))),
    notes: [...splitNotes(owners, urlLimits), ...splitNotes(nodes, urlLimits)],
  };
}
