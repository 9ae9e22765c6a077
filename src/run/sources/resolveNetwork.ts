import { quantityOf, textOf, wholeNumberOf, wrongAnswer } from '../../core/answerParts.ts';
import { exitCode } from '../../core/exitCode.ts';
import { FirnError } from '../../core/firnError.ts';
import { type ChainFacts, hrpOf, type NetworkFacts } from '../../core/network.ts';
import type { Check, RpcOutcome } from '../../core/request.ts';
import { decodeCb58 } from '../../decode/cb58.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import type { PlannedStream } from '../plan/planStreams.ts';
import type { Settings } from '../settings.ts';
import type { Fetch } from './fetch.ts';

/** What could not be asked of the node. It keeps from being read what needs it, and nothing else. */
export interface NetworkProblems {
  /** Why the node does not say which network it is of, where the warehouse does not know yet. */
  readonly identity?: FirnError;
  /** Why an EVM chain does not say which one it is, by its name in the node's paths. */
  readonly chains: ReadonlyMap<string, FirnError>;
}

export interface ResolvedNetwork {
  readonly network: NetworkFacts;
  readonly problems: NetworkProblems;
}

/**
 * What is known of the network: pinned by the first run, and held against the node by every later one with a single
 * request a chain, since another chain behind the same URL must never be mixed in.
 *
 * @throws FirnError `network_mismatch` when the source answers for another network than the warehouse holds · `config`, `disk`, `interrupted`
 */
export async function resolveNetwork(
  warehouse: Warehouse,
  settings: Settings,
  planned: readonly PlannedStream[],
  node: Fetch | undefined,
): Promise<ResolvedNetwork> {
  const pinned = await readPinned(warehouse);
  const named = settings.sources.data?.network.replace('testnet', 'fuji');
  if (pinned && named && pinned.network !== named && ['mainnet', 'fuji'].includes(pinned.network)) {
    throw mismatch(`The warehouse holds ${pinned.network}, the configuration asks the data service for ${named}.`);
  }
  const problems = new Map<string, FirnError>();
  if (!node) {
    const facts = pinned ?? unasked(named, null);
    if (!pinned) await pin(warehouse, facts, facts.chains);
    return { network: facts, problems: { chains: problems } };
  }
  // A warehouse that was begun without a node knows no chains yet.
  const asked =
    pinned && pinned.networkId !== null ? { value: pinned } : await orProblem(askNetwork(node, named, pinned));
  const known = asked.value ?? unasked(named, pinned);
  const chains: ChainFacts[] = await Promise.all(
    known.chains.map(async (asked) => {
      const chain = pinned?.chains.find(({ alias }) => alias === asked.alias) ?? asked;
      if (chain.vm !== 'evm') return chain;
      const { problem } = await orProblem(heldAgainstNode(node, chain));
      if (isProblem(problem)) problems.set(chain.alias, problem);
      return chain;
    }),
  );
  const isKnown = (name: string) =>
    chains.some(({ alias, chainId, blockchainId }) =>
      [alias, chainId, blockchainId].some((id) => id?.toLowerCase() === name.toLowerCase()),
    );
  // A node may follow the P-Chain alone: then the C-Chain is not offered.
  const wanted = [...new Set([...(known.networkId === null ? [] : ['C']), ...evmNames(planned)])];
  const found = await Promise.all(
    wanted
      .filter((name) => !isKnown(name))
      .map(async (name) => {
        const { value, problem } = await orProblem(askEvmChain(node, name, known.networkId !== null));
        if (isProblem(problem)) problems.set(name, problem);
        return value ?? [];
      }),
  );
  chains.push(...found.flat());
  const facts = { ...known, ...(known.network === 'unknown' && publicNetwork(chains)), chains };
  const before = new Set(pinned?.chains.map(({ chainId }) => chainId));
  // Of a node that says nothing, nothing is pinned.
  const isNews = known !== pinned && (!asked.problem || chains.length > known.chains.length);
  await pin(
    warehouse,
    isNews ? facts : null,
    chains.filter(({ chainId }) => !before.has(chainId)),
  );
  return { network: facts, problems: { chains: problems, ...(asked.problem && { identity: asked.problem }) } };
}

/**
 * The answer, or why there is none. A chain that this node does not have (yet), and a node that is down, are the matter of what needs
 * them, not of the whole run.
 */
async function orProblem<T>(asking: Promise<T>): Promise<{ readonly value?: T; readonly problem?: FirnError }> {
  try {
    return { value: await asking };
  } catch (error) {
    const ofNode = error instanceof FirnError && !['disk', 'interrupted'].includes(error.code) && exitCode(error) !== 2;
    if (ofNode) return { problem: error };
    throw error;
  }
}

/** What is not offered is said by the streams that ask for it. */
const isProblem = (error: FirnError | undefined): error is FirnError =>
  error !== undefined && error.code !== 'not_offered';

/** What the configuration and earlier runs know of a network that no node tells of. */
function unasked(named: string | undefined, pinned: NetworkFacts | null): NetworkFacts {
  const network = pinned?.network ?? named ?? 'unknown';
  return {
    networkId: null,
    network,
    hrp: pinned?.hrp ?? (network === 'fuji' ? 'fuji' : 'avax'),
    chains: pinned?.chains ?? [],
  };
}

/** Whether a stream's `blockchainIds` name EVM chains of the node. */
export const namesEvmChains = ({ stream }: PlannedStream): boolean => /^node\/(?:evm_|l1_validators$)/.test(stream.id);

/** Chains that the streams' `blockchainIds` name. */
function evmNames(planned: readonly PlannedStream[]): string[] {
  const names = planned
    .filter(namesEvmChains)
    .flatMap(({ parameters }) => (parameters['blockchainIds'] as string[] | undefined) ?? []);
  return [...new Set(names)];
}

/** The network of a public C-Chain, which its chain id tells where no node is there to ask. */
function publicNetwork(chains: readonly ChainFacts[]): Pick<NetworkFacts, 'network' | 'hrp'> | undefined {
  if (chains.some(({ chainId }) => chainId === '43114')) return { network: 'mainnet', hrp: 'avax' };
  return chains.some(({ chainId }) => chainId === '43113') ? { network: 'fuji', hrp: 'fuji' } : undefined;
}

/** Without the node's info API, as with the RPC URLs of single chains, only what was pinned and the configuration are known. */
async function askNetwork(node: Fetch, named: string | undefined, pinned: NetworkFacts | null): Promise<NetworkFacts> {
  let answered: unknown;
  const idOf = (body: unknown) => wholeNumberOf(body, 'networkID');
  try {
    answered = await askInfo(node, 'info.getNetworkID', {}, idOf);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'not_offered') return unasked(named, pinned);
    throw error;
  }
  const networkId = idOf(answered);
  const linear = async (alias: 'P' | 'X', name: string, vm: 'platform' | 'avm'): Promise<ChainFacts> => {
    const id = await blockchainIdOf(node, alias);
    return { chainId: id, name, blockchainId: id, alias, vm, genesisHash: null };
  };
  return {
    networkId,
    network: named ?? { 1: 'mainnet', 5: 'fuji', 12345: 'local' }[networkId] ?? `network-${networkId}`,
    hrp: hrpOf(networkId),
    chains: [
      await linear('P', 'P-Chain', 'platform'),
      await linear('X', 'X-Chain', 'avm'),
      // Chains of a warehouse that was begun without the node's info API.
      ...(pinned?.chains ?? []),
    ],
  };
}

const askInfo = async (node: Fetch, method: string, params: object, check: Check): Promise<unknown> =>
  (await node({ kind: 'rpc', path: '/ext/info', call: { method, params, check } })).body;

const blockchainIdOf = async (node: Fetch, alias: string): Promise<string> => {
  const idOf = (body: unknown) => {
    const id = textOf(body, 'blockchainID');
    if (isId(id)) return id;
    throw wrongAnswer(body, 'id of a blockchain (cb58)');
  };
  return idOf(await askInfo(node, 'info.getBlockchainID', { alias }, idOf));
};

/** Whether a text is 32 bytes in cb58: what is pinned stays, and names partitions. */
function isId(text: string): boolean {
  try {
    return decodeCb58(text).length === 32;
  } catch {
    return false;
  }
}

/** @param hasInfo whether the node says what the C-Chain's blockchain id is */
async function askEvmChain(node: Fetch, alias: string, hasInfo: boolean): Promise<ChainFacts> {
  const { chainId, genesisHash } = await askGenesis(node, alias);
  if (alias !== 'C') return { chainId, name: alias, blockchainId: alias, alias, vm: 'evm', genesisHash };
  const blockchainId = hasInfo ? await blockchainIdOf(node, alias) : null;
  return { chainId, name: 'C-Chain', blockchainId, alias, vm: 'evm', genesisHash };
}

/** Chain id and genesis hash of an EVM chain, in one request where the node takes batches. */
async function askGenesis(node: Fetch, alias: string): Promise<{ chainId: string; genesisHash: string | null }> {
  const path = `/ext/bc/${alias}/rpc`;
  const calls = [
    { method: 'eth_chainId', params: [], check: chainIdOf },
    { method: 'eth_getBlockByNumber', params: ['0x0', false], check: genesisHashOf },
  ];
  const [id, genesis] = (await node({ kind: 'rpcMany', path, calls })).body as RpcOutcome[];
  if (!id || !('result' in id)) {
    const said = id && 'error' in id ? `: ${id.error.message}` : '';
    throw new FirnError(
      'unavailable',
      `${path} does not say its chain id${said}. Check the blockchain id, and that the node has this chain.`,
    );
  }
  const genesisHash = genesis && 'result' in genesis ? genesisHashOf(genesis.result) : null;
  return { chainId: chainIdOf(id.result), genesisHash };
}

/** A chain id is a 0x quantity: any other number would be another chain's. */
const chainIdOf = (body: unknown) => String(quantityOf(body));

/** Null where the node has no genesis block to show. */
const genesisHashOf = (block: unknown) => {
  const hash = block === null ? null : textOf(block, 'hash');
  if (hash === null || /^0x[0-9a-fA-F]{64}$/.test(hash)) return hash;
  throw wrongAnswer(block, 'hash of a block');
};

async function heldAgainstNode(node: Fetch, chain: ChainFacts): Promise<ChainFacts> {
  const { chainId, genesisHash } = await askGenesis(node, chain.alias);
  if (chainId !== chain.chainId) {
    throw mismatch(`The warehouse holds ${chain.name} with chain id ${chain.chainId}, the node answers ${chainId}.`);
  }
  if (chain.genesisHash && genesisHash && genesisHash !== chain.genesisHash) {
    throw mismatch(`The warehouse holds ${chain.name} with genesis ${chain.genesisHash}, the node has ${genesisHash}.`);
  }
  return chain;
}

const mismatch = (what: string) =>
  new FirnError(
    'network_mismatch',
    `${what} Nothing was read. Point the source back, or name another folder with --warehouse.`,
  );

/** What the first run pinned; null before it. */
export async function readPinned(warehouse: Warehouse): Promise<NetworkFacts | null> {
  const [network] = await warehouse.query<{ network_id: number | null; network: string; hrp: string }>(
    'SELECT network_id, network, hrp FROM firn.network',
  );
  if (!network) return null;
  const chains = await warehouse.query<Record<string, string | null>>(
    'SELECT chain_id, name, blockchain_id, alias, vm, genesis_hash FROM firn.chain ORDER BY pinned_at, chain_id',
  );
  return {
    networkId: network.network_id,
    network: network.network,
    hrp: network.hrp,
    chains: chains.map((row) => ({
      chainId: row['chain_id'] ?? '',
      name: row['name'] ?? '',
      blockchainId: row['blockchain_id'] ?? null,
      alias: row['alias'] ?? '',
      vm: row['vm'] as ChainFacts['vm'],
      genesisHash: row['genesis_hash'] ?? null,
    })),
  };
}

/** Makes new facts durable, in one transaction. */
async function pin(warehouse: Warehouse, network: NetworkFacts | null, chains: readonly ChainFacts[]): Promise<void> {
  if (!network && chains.length === 0) return;
  await warehouse.transaction(async (tx) => {
    if (network) {
      await tx.run('DELETE FROM firn.network');
      await tx.run('INSERT INTO firn.network VALUES ($1, $2, $3, now()::TIMESTAMP)', [
        network.networkId,
        network.network,
        network.hrp,
      ]);
    }
    for (const chain of chains) {
      await tx.run('INSERT INTO firn.chain VALUES ($1, $2, $3, $4, $5, $6, now()::TIMESTAMP)', [
        chain.chainId,
        chain.name,
        chain.blockchainId,
        chain.alias,
        chain.vm,
        chain.genesisHash,
      ]);
    }
  });
}
