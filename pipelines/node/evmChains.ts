import { z } from 'zod';
import { type ChainFacts, FirnError, findChain, isCb58Id, type NetworkFacts } from '../../src/index.ts';
import { whyAbsent } from './whyAbsent.ts';

/** Path of a chain's Ethereum JSON-RPC. @param chain its alias or blockchain id */
export const rpcPath = (chain: string) => `/ext/bc/${chain}/rpc`;

/** Parameter of streams that read EVM chains of the node. */
export const evmChainIds = z
  .array(z.string())
  .min(1)
  .default(['C'])
  .describe(
    'Chains: C, or a blockchain id. An EVM chain id names C, or an L1 that was read by its blockchain id before.',
  );

/** Leading column of tables of EVM chains. */
export const chainIdColumn = { name: 'chain_id', description: 'EVM chain id.' };

/** What is wrong where nothing answers, not even of which network it is. */
const wrongUrl =
  'nor anything else that was asked: correct its URL. sources.node.url names the server alone; a URL in sources.node.rpc is that of one chain, with its path.';

/** The EVM chains that names in the configuration mean, each once. Throws FirnError `config` for one the node does not know, `not_found` where it has nothing at all. */
export function evmChains(network: NetworkFacts, names: readonly string[]): ChainFacts[] {
  const chains = names.map((name) => {
    const chain = findChain(network, name);
    if (chain?.vm === 'evm') return chain;
    const known = network.chains.filter(({ vm }) => vm === 'evm').map(({ alias }) => alias);
    if (network.chains.length === 0)
      throw new FirnError('not_found', `The node knows no EVM chain "${name}", ${wrongUrl}`);
    const isName = name.toUpperCase() === 'C' || isCb58Id(name);
    const advice = isName ? whyAbsent(name) : 'An L1 is named by its blockchain id first.';
    throw new FirnError(
      'config',
      `The node knows no EVM chain "${name}". It has: ${known.join(', ') || 'none'}. ${advice}`,
    );
  });
  return [...new Map(chains.map((chain) => [chain.chainId, chain])).values()];
}

/** One partition per chain, read at its Ethereum JSON-RPC; `more` are settings beside `path`. */
export const rpcPartitions = <More extends object = object>(
  network: NetworkFacts,
  names: readonly string[],
  more?: More,
) =>
  evmChains(network, names).map((chain) => ({
    values: { chain_id: chain.chainId },
    settings: { path: rpcPath(chain.alias), ...(more as More) },
  }));

/** What streams have in common that ask each chain's Ethereum JSON-RPC one question. */
export const ofEvmChains = {
  parameters: z.strictObject({ blockchainIds: evmChainIds }),
  partitionColumns: [chainIdColumn],
  needs: ['evm'],
  partitions: ({ blockchainIds }: { readonly blockchainIds: readonly string[] }, network: NetworkFacts) =>
    rpcPartitions(network, blockchainIds),
} as const;
