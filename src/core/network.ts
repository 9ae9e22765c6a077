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

/** bech32 prefix by network id. */
export function hrpOf(networkId: number | null): string {
  const known: Record<number, string> = { 1: 'avax', 5: 'fuji', 12345: 'local' };
  return (networkId !== null && known[networkId]) || 'custom';
}

/** The chain that a name in the configuration means: chain id, blockchain id or alias, in any case. */
export function findChain(network: NetworkFacts, name: string): ChainFacts | undefined {
  const wanted = name.toLowerCase();
  return network.chains.find((chain) =>
    [chain.chainId, chain.blockchainId ?? '', chain.alias, chain.name].some((known) => known.toLowerCase() === wanted),
  );
}
