import { textOf, wholeNumberOf, wrongAnswer } from '../core/answerParts.ts';
import { FirnError } from '../core/firnError.ts';
import { type ChainFacts, hrpOf, type NetworkFacts } from '../core/network.ts';
import type { Check, RpcOutcome } from '../core/request.ts';
import { inTransaction } from '../load/inTransaction.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Fetch } from './fetch.ts';
import type { PlannedStream } from './planStreams.ts';
import type { Settings } from './settings.ts';

/**
 * What is known of the network: pinned by the first run, and held against the node by every later one with a single
 * request a chain, since another chain behind the same URL must never be mixed in.
 *
 * @throws FirnError `network_mismatch` when the source answers for another network than the warehouse holds
 */
export async function resolveNetwork(
  warehouse: Warehouse,
  settings: Settings,
  planned: readonly PlannedStream[],
  node: Fetch | undefined,
): Promise<NetworkFacts> {
  const pinned = await readPinned(warehouse);
  const named = settings.sources.data?.network.replace('testnet', 'fuji');
  if (pinned && named && pinned.network !== named && ['mainnet', 'fuji'].includes(pinned.network)) {
    throw mismatch(`The warehouse holds ${pinned.network}, the configuration asks the data service for ${named}.`);
  }
  if (!node) {
    const facts = pinned ?? {
      networkId: null,
      network: named ?? 'unknown',
      hrp: named === 'fuji' ? 'fuji' : 'avax',
      chains: [],
    };
    if (!pinned) await pin(warehouse, facts, facts.chains);
    return facts;
  }
  // A warehouse that was begun without a node knows no chains yet.
  const known = pinned && pinned.networkId !== null ? pinned : await askNetwork(node, named, pinned);
  const wanted = evmNames(planned);
  const chains: ChainFacts[] = [];
  for (const asked of known.chains) {
    const chain = pinned?.chains.find(({ alias }) => alias === asked.alias) ?? asked;
    const answer = chain.vm === 'evm' ? await unlessNotOffered(heldAgainstNode(node, chain)) : chain;
    chains.push(answer ?? chain);
  }
  for (const name of wanted) {
    const lower = name.toLowerCase();
    if (
      chains.some((chain) => [chain.alias, chain.chainId, chain.blockchainId].some((id) => id?.toLowerCase() === lower))
    )
      continue;
    const isC = name === 'C';
    const chain = await unlessNotOffered(askEvmChain(node, name, isC ? 'C-Chain' : name, isC ? null : name));
    if (chain) chains.push(chain);
  }
  const facts = { ...known, ...(known.network === 'unknown' && publicNetwork(chains)), chains };
  const before = new Set(pinned?.chains.map(({ chainId }) => chainId));
  await pin(
    warehouse,
    known === pinned ? null : facts,
    chains.filter(({ chainId }) => !before.has(chainId)),
  );
  return facts;
}

/** A chain that this node does not have (yet) is the matter of its partitions, not of the whole run. */
async function unlessNotOffered<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof FirnError && error.code === 'not_offered') return undefined;
    throw error;
  }
}

/** Chains that the streams' `blockchainIds` name. */
function evmNames(planned: readonly PlannedStream[]): string[] {
  const names = planned
    .filter(({ stream }) => /^node\/(?:evm_|l1_validators$)/.test(stream.id))
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
  const info = async (method: string, params: object, check: Check) =>
    (await node({ kind: 'rpc', path: '/ext/info', call: { method, params, check } })).body as Record<string, string>;
  const answered = await unlessNotOffered(info('info.getNetworkID', {}, (body) => wholeNumberOf(body, 'networkID')));
  if (!answered) {
    const network = pinned?.network ?? named ?? 'unknown';
    return {
      networkId: null,
      network,
      hrp: pinned?.hrp ?? (network === 'fuji' ? 'fuji' : 'avax'),
      chains: pinned?.chains ?? [],
    };
  }
  const networkId = Number(answered['networkID']);
  const idOf = (body: unknown) => textOf(body, 'blockchainID');
  const blockchainId = async (alias: string) => idOf(await info('info.getBlockchainID', { alias }, idOf));
  const linear = async (alias: 'P' | 'X', name: string, vm: 'platform' | 'avm'): Promise<ChainFacts> => {
    const id = await blockchainId(alias);
    return { chainId: id, name, blockchainId: id, alias, vm, genesisHash: null };
  };
  const cChain = await unlessNotOffered(askEvmChain(node, 'C', 'C-Chain', await blockchainId('C')));
  return {
    networkId,
    network: named ?? { 1: 'mainnet', 5: 'fuji', 12345: 'local' }[networkId] ?? `network-${networkId}`,
    hrp: hrpOf(networkId),
    chains: [
      await linear('P', 'P-Chain', 'platform'),
      await linear('X', 'X-Chain', 'avm'),
      // A node may follow the P-Chain alone.
      ...(cChain ? [cChain] : []),
    ],
  };
}

async function askEvmChain(node: Fetch, alias: string, name: string, blockchainId: string | null): Promise<ChainFacts> {
  const { chainId, genesisHash } = await askGenesis(node, alias);
  return { chainId, name, blockchainId, alias, vm: 'evm', genesisHash };
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
function chainIdOf(body: unknown): string {
  if (!textOf(body).startsWith('0x')) throw wrongAnswer(body, '0x quantity');
  return String(wholeNumberOf(body));
}

/** Null where the node has no genesis block to show. */
const genesisHashOf = (block: unknown) => (block === null ? null : textOf(block, 'hash'));

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
  await warehouse.exclusive(() =>
    inTransaction(warehouse, async () => {
      if (network) {
        await warehouse.run('DELETE FROM firn.network');
        await warehouse.run('INSERT INTO firn.network VALUES ($1, $2, $3, now()::TIMESTAMP)', [
          network.networkId,
          network.network,
          network.hrp,
        ]);
      }
      for (const chain of chains) {
        await warehouse.run('INSERT INTO firn.chain VALUES ($1, $2, $3, $4, $5, $6, now()::TIMESTAMP)', [
          chain.chainId,
          chain.name,
          chain.blockchainId,
          chain.alias,
          chain.vm,
          chain.genesisHash,
        ]);
      }
    }),
  );
}
