import { FirnError, findChain, type NetworkFacts } from '../../src/index.ts';

/** Blockchain ids of the C-Chain on the public networks, which need no node to be understood. */
const cChains: ReadonlyMap<string, string> = new Map([
  ['2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5', '43114'],
  ['yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp', '43113'],
]);

/** The EVM chain id behind a name: a chain id, or a blockchain id or alias that the node has resolved. */
function evmChainId(network: NetworkFacts, name: string): string {
  if (/^\d+$/.test(name)) return name;
  const known = findChain(network, name);
  const chainId = known?.vm === 'evm' ? known.chainId : cChains.get(name);
  if (chainId) return chainId;
  throw new FirnError(
    'config',
    `"${name}" is neither an EVM chain id nor a chain of the configured node. Write the EVM chain id; the stream data/chains lists them.`,
  );
}

/**
 * The EVM chain ids behind names, each once: a chain named twice would be read twice at the same time.
 *
 * @throws FirnError `config`
 */
export const evmChainIds = (network: NetworkFacts, names: readonly string[]): readonly string[] => [
  ...new Set(names.map((name) => evmChainId(network, name))),
];
