/** One chain of the network, as `firn.chain` holds it. */
export interface ChainFacts {
  /** EVM chain id as decimal text; for the P- and X-Chain the blockchain id. */
  readonly chainId: string;
  readonly name: string;
  /** cb58 */
  readonly blockchainId: string | null;
  /** The alias by which the node's paths know it (`C`, `P`, `X`), or the blockchain id. */
  readonly alias: string;
  readonly vm: 'evm' | 'platform' | 'avm';
  /** Hash of block 0 where known; pins the warehouse to one chain. */
  readonly genesisHash: string | null;
}

/** What is known of the network before a stream is read. */
export interface NetworkFacts {
  /** 1 mainnet, 5 fuji, 12345 local; null where no node was asked. */
  readonly networkId: number | null;
  /** `mainnet`, `fuji`, ...: the data service's name; `testnet` is stored as `fuji`. */
  readonly network: string;
  /** bech32 prefix of the network's addresses. */
  readonly hrp: string;
  readonly chains: readonly ChainFacts[];
}

/** 32 zero bytes (cb58): the id of the Primary Network as a subnet, and of the P-Chain. */
export const primaryNetworkId = '11111111111111111111111111111111LpoYY';

/** Networks that are known by name: their ids, the bech32 prefixes of their addresses, and the chain ids of their C-Chains. */
const known = [
  { networkId: 1, network: 'mainnet', hrp: 'avax', cChainId: '43114' },
  { networkId: 5, network: 'fuji', hrp: 'fuji', cChainId: '43113' },
  { networkId: 12345, network: 'local', hrp: 'local', cChainId: null },
] as const;

/**
 * Name and prefix of a network, by its id where a node tells it, else by the name that the services are asked for, else by the chain
 * id of its C-Chain. Of any other network nodes write addresses with the prefix `custom`.
 *
 * @param named what the configuration calls it; left out where it says nothing
 */
export function identify(
  networkId: number | null,
  named?: string,
  chains: readonly Pick<ChainFacts, 'chainId'>[] = [],
): Pick<NetworkFacts, 'networkId' | 'network' | 'hrp'> {
  const byId = known.find((one) => one.networkId === networkId);
  const byChain = known.find(({ cChainId }) => chains.some(({ chainId }) => chainId === cChainId));
  const unnamed = networkId === null ? (byChain?.network ?? 'unknown') : `network-${networkId}`;
  const network = named ?? byId?.network ?? unnamed;
  const byName = networkId === null ? known.find((one) => one.network === network) : undefined;
  return { networkId, network, hrp: (byId ?? byName)?.hrp ?? 'custom' };
}

/**
 * A network as it is shown to people: `fuji (network 5)`; by its name alone where no node was asked; with the name that
 * the services are asked for where the node's network has another one: `local (network 12345), served as fuji`.
 */
export function networkText(name: string, networkId: number | null): string {
  if (networkId === null) return name === 'unknown' ? 'an unknown network' : name;
  const own = known.find((one) => one.networkId === networkId)?.network;
  const text = own ? `${own} (network ${networkId})` : `network ${networkId}`;
  return [own, `network-${networkId}`].includes(name) ? text : `${text}, served as ${name}`;
}

/** Whether the hosted services know a network by this name. */
export const isPublic = (network: string): boolean => network === 'mainnet' || network === 'fuji';

/** Chain id of a public network's C-Chain. */
export const cChainIdOf = (network: string): string | null =>
  known.find((one) => one.network === network)?.cChainId ?? null;

/** Whether a name means a chain: its chain id, blockchain id, alias or name, in any case. */
export function isNamed({ chainId, blockchainId, alias, name }: ChainFacts, given: string): boolean {
  const lower = given.toLowerCase();
  return [chainId, blockchainId ?? '', alias, name].some((known) => known.toLowerCase() === lower);
}

/** The chain that a name in the configuration means. */
export const findChain = (network: NetworkFacts, name: string): ChainFacts | undefined =>
  network.chains.find((chain) => isNamed(chain, name));
