import { FirnError, type NetworkFacts } from '../../src/index.ts';
import { addressDigest, addressGroups, commaLists, splitNotes, urlLimits, withoutEvm } from './addresses.ts';

/**
 * Staking that is asked for by its owners, by its nodes, by both or by neither: each list of one with each list of the other.
 *
 * @param owner the parameter in which the service takes the owners
 * @throws FirnError `config` where no owner is an address of the Primary Network
 */
export function stakingLists<Owner extends string>(
  owner: Owner,
  given: { readonly [name in Owner | 'nodeIds']?: readonly string[] | undefined },
  network: NetworkFacts,
) {
  const owners = given[owner] && withoutEvm(addressGroups(given[owner], network));
  if (owners?.length === 0)
    throw new FirnError('config', `${owner}: 0x addresses do not stake. Write P-Chain addresses.`);
  const nodes = given.nodeIds?.map((id) => id.split(','));
  const [ownerLists, nodeLists] = [commaLists(owners), commaLists(nodes)];
  const requests = ownerLists.flatMap((list) => nodeLists.map((nodeIds) => ({ [owner]: list, nodeIds })));
  return {
    filters: {
      ...(owners && { [owner]: addressDigest(owners) }),
      ...(nodes && { nodeIds: addressDigest(nodes) }),
    },
    lists: [owner, 'nodeIds'],
    /** The query parameters of each request. */
    requests,
    notes: [
      ...splitNotes(owners, urlLimits),
      ...splitNotes(nodes, urlLimits, 'node ids'),
      ...(ownerLists.length > 1 && nodeLists.length > 1
        ? [`each list of addresses is asked for with each list of node ids: ${requests.length} requests`]
        : []),
    ],
  };
}
