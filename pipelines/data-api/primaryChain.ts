import { FirnError, findChain, type NetworkFacts, type Partition, primaryNetworkId } from '../../src/index.ts';
import { networkColumn } from './parameters.ts';

/** The Primary Network's chains as the data service names them. */
export type PrimaryChain = 'p-chain' | 'x-chain' | 'c-chain';

export const allPrimaryChains: readonly PrimaryChain[] = ['p-chain', 'x-chain', 'c-chain'];

/** Columns of streams that are read chain by chain. @param chains those that the endpoint takes */
export const chainColumns = (chains: string) => [
  networkColumn,
  { name: 'blockchain', description: `${chains}; also what chainInfo says.` },
];

/** Where the lists of such a partition are. */
export const chainPath = ({ network, blockchain }: Partition['values']): string =>
  `/v1/networks/${network}/blockchains/${blockchain}`;

/** The chain ids that the service takes, beside its three aliases. */
const chainIds: ReadonlyMap<string, PrimaryChain> = new Map([
  [primaryNetworkId, 'p-chain'],
  ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', 'x-chain'],
  ['2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm', 'x-chain'],
  ['2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5', 'c-chain'],
  ['yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp', 'c-chain'],
]);

/**
 * The service's aliases of Primary Network chains, each once, so that every name of a chain is the same partition.
 *
 * @param names aliases, chain ids of the service, or blockchain ids that the node has resolved
 * @param taken the chains that the endpoint takes
 * @throws FirnError `config` naming them
 */
export const primaryChains = (
  network: NetworkFacts,
  names: readonly string[],
  taken: readonly PrimaryChain[] = allPrimaryChains,
): readonly PrimaryChain[] => [...new Set(names.map((name) => primaryChain(network, name, taken)))];

function primaryChain(network: NetworkFacts, name: string, taken: readonly PrimaryChain[]): PrimaryChain {
  const chain = aliased(name) ?? chainIds.get(name) ?? aliased(findChain(network, name)?.alias);
  if (chain && taken.includes(chain)) return chain;
  throw new FirnError(
    'config',
    chain
      ? `${name} is the ${chain}, which this endpoint does not serve; it takes ${taken.join(', ')}.`
      : `"${name}" is not a Primary Network chain. Write ${taken.join(', ')}, or the chain's id.`,
  );
}

/** The chain that is called `p` or `p-chain`, and so on. */
function aliased(name: string | undefined): PrimaryChain | undefined {
  const lower = name?.toLowerCase();
  return allPrimaryChains.find((chain) => chain === lower || chain.charAt(0) === lower);
}

/** Where an answer says of which chain and network all of its records are. */
export const chainInfo = { blockchain: 'chainInfo.chainName', network: 'chainInfo.network' };
