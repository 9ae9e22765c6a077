import { FirnError, findChain, type NetworkFacts, primaryNetworkId } from '../../src/index.ts';

/** The Primary Network's chains as the data service names them. */
export type PrimaryChain = 'p-chain' | 'x-chain' | 'c-chain';

/** The chain ids that the service takes, beside its three aliases. */
const chainIds: Readonly<Record<string, PrimaryChain>> = {
  [primaryNetworkId]: 'p-chain',
  '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM': 'x-chain',
  '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm': 'x-chain',
  '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5': 'c-chain',
  yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp: 'c-chain',
};

const aliases: Readonly<Record<string, PrimaryChain>> = {
  p: 'p-chain',
  x: 'x-chain',
  c: 'c-chain',
  'p-chain': 'p-chain',
  'x-chain': 'x-chain',
  'c-chain': 'c-chain',
};

/**
 * The service's alias of a Primary Network chain, so that every name of a chain is the same partition: an alias, one of
 * the five chain ids, or a blockchain id that the node has resolved.
 *
 * @throws FirnError `config` naming the chains that the endpoint takes
 */
export function primaryChain(network: NetworkFacts, name: string, taken: readonly PrimaryChain[]): PrimaryChain {
  const chain =
    aliases[name.toLowerCase()] ?? chainIds[name] ?? aliases[findChain(network, name)?.alias.toLowerCase() ?? ''];
  if (chain && taken.includes(chain)) return chain;
  throw new FirnError(
    'config',
    chain
      ? `${name} is the ${chain}, which this endpoint does not serve; it takes ${taken.join(', ')}.`
      : `"${name}" is not a Primary Network chain. Write ${taken.join(', ')}, or the chain's id.`,
  );
}

/** Where an answer says of which chain and network all of its records are. */
export const chainInfo = { blockchain: 'chainInfo.chainName', network: 'chainInfo.network' };
