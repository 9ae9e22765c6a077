import {
  type Asking,
  type ChainFacts,
  FirnError,
  hasCode,
  type Identity,
  isCb58Id,
  lacksMethod,
  textOf,
  wideQuantityOf,
  wrongAnswer,
} from '../../src/index.ts';
import { askInfo, askNetworkId } from './askInfo.ts';
import { askMany, askRpc } from './askRpc.ts';
import { rpcPath } from './evmChains.ts';
import { orSaid } from './orSaid.ts';

/** Which network a node belongs to, by its info API, and which EVM chain each of its paths leads to. */
export const identity: Identity = {
  // A node may follow only the P-Chain: then the C-Chain is not offered.
  chains: ['C'],
  *network() {
    const networkId = yield* askNetworkId();
    const chains = [yield* linearChain('P', 'P-Chain', 'platform'), yield* linearChain('X', 'X-Chain', 'avm')];
    return { networkId, chains };
  },
  *chain(alias, hasNetwork) {
    const { chainId, genesisHash } = yield* askGenesis(alias);
    const facts = { chainId, name: alias === 'C' ? 'C-Chain' : alias, alias, vm: 'evm', genesisHash } as const;
    if (isCb58Id(alias)) return { ...facts, blockchainId: alias };
    if (!hasNetwork) return { ...facts, blockchainId: null };
    return { ...facts, blockchainId: yield* alias === 'C' ? blockchainIdOf(alias) : knownIdOf(alias) };
  },
};

function* linearChain(alias: 'P' | 'X', name: string, vm: 'platform' | 'avm'): Asking<ChainFacts> {
  const id = yield* blockchainIdOf(alias);
  return { chainId: id, name, blockchainId: id, alias, vm, genesisHash: null };
}

const blockchainIdOf = (alias: string) => askInfo('info.getBlockchainID', { alias }, blockchainIdIn);

/**
 * The id behind another name of an L1: two that have one genesis are told apart by it. Null where the node does not know the name, as where
 * another server answers for it.
 */
function* knownIdOf(alias: string): Asking<string | null> {
  try {
    return yield* blockchainIdOf(alias);
  } catch (error) {
    if (hasCode(error, 'refused', 'not_found', 'not_offered')) return null;
    throw error;
  }
}

function blockchainIdIn(body: unknown): string {
  const id = textOf(body, 'blockchainID');
  // A pinned id stays for ever, and names partitions.
  if (isCb58Id(id)) return id;
  throw wrongAnswer(body, 'id of a blockchain (cb58)');
}

/** Chain id and genesis hash of an EVM chain, in one request where the node takes batches. */
function* askGenesis(alias: string): Asking<{ readonly chainId: string; readonly genesisHash: string | null }> {
  const path = rpcPath(alias);
  const calls = [
    { method: 'eth_chainId', params: [], check: chainIdOf },
    { method: 'eth_getBlockByNumber', params: ['0x0', false], check: genesisHashOf },
  ];
  const [id, genesis] = yield* askMany(path, calls);
  if (!id || id.error) {
    const said = id ? `: ${id.error.message}` : '';
    if (id && lacksMethod(id.error.message))
      throw new FirnError(
        'refused',
        `${path} offers no Ethereum API${said}. Name "eth", "internal-eth", "internal-blockchain" and "internal-transaction" in eth-apis of the chain's configuration in the node, or leave the chain out.`,
        { context: { rpcCode: id.error.code, rpcMessage: id.error.message } },
      );
    // Alone, the error is the server's own: that it wants a key, or takes no more for now.
    const own = yield* orSaid(askRpc({ kind: 'rpc', path, call: { method: 'eth_chainId', params: [] } }, chainIdOf));
    if (hasCode(own, 'unauthorized', 'rate_limited')) throw own;
    throw new FirnError(
      'unavailable',
      `${path} does not say its chain id${said}. Check the blockchain id, and that the node has this chain.`,
    );
  }
  const genesisHash = genesis && !genesis.error ? genesisHashOf(genesis.result) : null;
  return { chainId: chainIdOf(id.result), genesisHash };
}

/** A chain id must be a 0x quantity: read as anything else it would be another chain's. */
const chainIdOf = (body: unknown) => String(wideQuantityOf(body));

/** Null where the node has no genesis block to show. */
const genesisHashOf = (block: unknown) => {
  const hash = block === null ? null : textOf(block, 'hash');
  if (hash === null || /^0x[0-9a-fA-F]{64}$/.test(hash)) return hash;
  throw wrongAnswer(block, 'hash of a block');
};
