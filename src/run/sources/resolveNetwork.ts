import { exitCode } from '../../core/exitCode.ts';
import { FirnError, hasCode } from '../../core/firnError.ts';
import type { Asking } from '../../core/requests/page.ts';
import { type ChainFacts, findChain, identify, isPublic, type NetworkFacts } from '../../core/stream/network.ts';
import type { Identity, Source } from '../../core/stream/source.ts';
import { differ } from '../../core/text/differ.ts';
import { goneChains } from '../../load/bookkeeping/goneChains.ts';
import { mismatch, pin, readPinned } from '../../load/bookkeeping/pinnedNetwork.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { namedNetwork, type Settings } from '../settings.ts';
import { answer, type Fetches } from './drive.ts';

/** What could not be asked. It keeps from being read what needs it, and nothing else. */
export interface NetworkProblems {
  /** Why the source does not say which network it belongs to, where the warehouse does not know yet. */
  readonly identity?: FirnError;
  /** Why an EVM chain does not say which one it is, by its name in the source's paths. */
  readonly chains: ReadonlyMap<string, FirnError>;
}

export interface ResolvedNetwork {
  readonly network: NetworkFacts;
  readonly problems: NetworkProblems;
}

interface ResolveOptions {
  readonly warehouse: Warehouse;
  readonly settings: Settings;
  /** The sources that are declared: one of them says of which network it is. */
  readonly sources: readonly Source[];
  /** EVM chains that are to be read, as the streams name them. */
  readonly evmNames: readonly string[];
  readonly fetch: Fetches;
}

/** What is known of the network without asking anyone: what a sync pinned, else what the configuration names. Nothing is pinned. */
export async function knownNetwork(warehouse: Warehouse, settings: Settings): Promise<NetworkFacts> {
  const named = namedNetwork(settings);
  return calledBy(named, await readPinned(warehouse, named)) ?? unasked(named);
}

/** A network by the name that the services are asked for: the warehouse may have begun without one. */
const calledBy = (named: string | undefined, facts: NetworkFacts | null): NetworkFacts | null =>
  facts && named !== undefined && facts.network !== named ? { ...facts, ...identify(facts.networkId, named) } : facts;

const unasked = (named: string | undefined): NetworkFacts => ({ ...identify(null, named), chains: [] });

/**
 * What is known of the network: pinned by the first run, and held against the source that tells by every later one with a single
 * request a chain, since another chain behind the same URL must never be mixed in.
 *
 * @throws FirnError `network_mismatch` when the source answers for another network than the warehouse holds · `config`, `disk`, `interrupted`
 */
export async function resolveNetwork(options: ResolveOptions): Promise<ResolvedNetwork> {
  const { warehouse, settings, evmNames } = options;
  const named = namedNetwork(settings);
  const before = await readPinned(warehouse, named);
  const pinned = calledBy(named, before);
  const problems = new Map<string, FirnError>();
  const asker = askerOf(options);
  if (!asker) {
    const facts = pinned ?? unasked(named);
    if (facts !== before) await pin(warehouse, facts, []);
    return { network: facts, problems: { chains: problems } };
  }
  // A warehouse that was begun without such a source knows no chains yet.
  const asked =
    pinned && pinned.networkId !== null ? { value: pinned } : await orProblem(askNetwork(asker, named, pinned));
  const known = asked.value ?? { ...(pinned ?? unasked(named)) };
  const held = await holdAgainst(asker, known, pinned, problems);
  const found = await newChains(asker, { ...known, chains: held }, evmNames, problems);
  const left = await withoutReplaced(warehouse, held, found);
  const chains = toldApart([...left, ...found], problems);
  const told = identify(null, undefined, chains);
  const isTold = known.network === 'unknown' && told.network !== 'unknown';
  const facts = { ...known, ...(isTold && told), chains };
  // Those of which something was learned, or which another one replaces, are pinned anew.
  const changed = held.filter((chain) => !left.includes(chain) || !known.chains.includes(chain));
  const isIn = (some: readonly ChainFacts[] = [], { chainId }: ChainFacts) =>
    some.some((one) => one.chainId === chainId);
  const isPinned = (chain: ChainFacts) => isIn(before?.chains, chain) && !isIn(changed, chain);
  // One chain may have been named twice.
  const unpinned = new Map(chains.filter((chain) => !isPinned(chain)).map((chain) => [chain.chainId, chain]));
  // Of a source that says nothing, nothing is pinned.
  const isNews = known !== before && (!asked.problem || chains.length > known.chains.length);
  await pin(warehouse, isNews ? facts : null, [...unpinned.values()]);
  return { network: facts, problems: { chains: problems, ...(asked.problem && { identity: asked.problem }) } };
}

/**
 * The chains, as they are pinned where they are; the source is asked whether its own are the same.
 *
 * @param problems is told which EVM chains do not answer, as for `newChains`
 * @throws FirnError `network_mismatch`
 */
async function holdAgainst(
  asker: Asker,
  known: NetworkFacts,
  pinned: NetworkFacts | null,
  problems: Map<string, FirnError>,
): Promise<ChainFacts[]> {
  let isHeldAgainst = false;
  const chains = await Promise.all(
    known.chains.map(async (one) => {
      const chain = pinned?.chains.find(({ alias }) => alias === one.alias) ?? one;
      if (chain.vm !== 'evm') return chain;
      const { value, problem } = await orProblem(asker.ask(asker.identity.chain(chain.alias, false)));
      if (value) assertSame(asker.name, chain, value);
      isHeldAgainst ||= value !== undefined;
      if (isProblem(problem)) problems.set(chain.alias, problem);
      const lacksId = chain.blockchainId === null && asker.identity.chains.includes(chain.alias);
      if (!value || !lacksId || known.networkId === null) return chain;
      // It was pinned while nobody said of which network it is.
      const { value: whole } = await orProblem(asker.ask(asker.identity.chain(chain.alias, true)));
      return whole?.blockchainId ? { ...chain, blockchainId: whole.blockchainId } : chain;
    }),
  );
  if (pinned && pinned.networkId !== null && !isHeldAgainst) await assertSameNetwork(asker, pinned);
  return chains;
}

interface Asker {
  readonly name: string;
  readonly identity: Identity;
  ask<T>(asking: Asking<T>): Promise<T>;
}

/** The configured source that says of which network it is. */
function askerOf({ sources, fetch }: ResolveOptions): Asker | undefined {
  for (const { name, identity } of sources) {
    const own = fetch[name];
    if (identity && own) return { name, identity, ask: (asking) => answer(asking, own) };
  }
  return undefined;
}

/**
 * The answer, or why there is none. A chain that this source does not have (yet), and a source that is down, are the matter of what needs
 * them, not of the whole run.
 */
async function orProblem<T>(asking: Promise<T>): Promise<{ readonly value?: T; readonly problem?: FirnError }> {
  try {
    return { value: await asking };
  } catch (error) {
    const ofSource =
      error instanceof FirnError && !['disk', 'interrupted'].includes(error.code) && exitCode(error) !== 2;
    if (ofSource) return { problem: error };
    throw error;
  }
}

/** What is not offered is said by the streams that ask for it. */
const isProblem = (error: FirnError | undefined): error is FirnError =>
  error !== undefined && error.code !== 'not_offered';

/** The error of a source of one public network where the services are asked for another one's. */
const otherName = (source: string, own: string, named: string) =>
  new FirnError(
    'network_mismatch',
    `The ${source} is of ${own}, the configuration asks the data service for ${named}. Nothing was read. Set "network: ${own}" there, or point the ` +
      `source ${source} to one of ${named}.`,
  );

/** Where the source does not say, as with the RPC URLs of single chains, only what was pinned and the configuration are known. */
async function askNetwork(
  { name, identity, ask }: Asker,
  named: string | undefined,
  pinned: NetworkFacts | null,
): Promise<NetworkFacts> {
  try {
    const { networkId, chains } = await ask(identity.network());
    const own = identify(networkId).network;
    if (named !== undefined && named !== own && isPublic(own) && isPublic(named)) throw otherName(name, own, named);
    // After them the chains of a warehouse that was begun while nobody said.
    return { ...identify(networkId, named), chains: [...chains, ...(pinned?.chains ?? [])] };
  } catch (error) {
    if (hasCode(error, 'not_offered')) return { ...(pinned ?? unasked(named)) };
    throw error;
  }
}

/**
 * The chains that every node has, and those that streams name, as far as they are not known; first those that are read: of two chains with
 * one id the other gives way.
 */
async function newChains(
  { identity, ask }: Asker,
  known: NetworkFacts,
  evmNames: readonly string[],
  problems: Map<string, FirnError>,
): Promise<readonly ChainFacts[]> {
  const isNamed = (name: string, chains: readonly ChainFacts[]) => findChain({ ...known, chains }, name) !== undefined;
  const found: ChainFacts[] = [];
  const tried = new Set<string>();
  // One that every node has may be named by its blockchain id: it is asked for first.
  for (const names of [known.networkId === null ? [] : identity.chains, evmNames]) {
    const unknown = new Set(names.filter((name) => !tried.has(name) && !isNamed(name, [...known.chains, ...found])));
    const asked = [...unknown].map(async (name) => {
      tried.add(name);
      const { value, problem } = await orProblem(ask(identity.chain(name, known.networkId !== null)));
      if (isProblem(problem)) problems.set(name, problem);
      return value ?? [];
    });
    found.push(...(await Promise.all(asked)).flat());
  }
  const isRead = (chain: ChainFacts) => evmNames.some((name) => isNamed(name, [chain]));
  return found.sort((a, b) => Number(isRead(b)) - Number(isRead(a)));
}

/** The chains that are held, but for those of which nothing is left, where another one has their EVM chain id now: an L1 that was made anew. */
async function withoutReplaced(
  warehouse: Pick<Warehouse, 'query'>,
  held: readonly ChainFacts[],
  found: readonly ChainFacts[],
): Promise<readonly ChainFacts[]> {
  const isWanted = (chain: ChainFacts) => found.some((one) => areConfused(chain, one));
  if (!held.some(isWanted)) return held;
  const gone = await goneChains(warehouse);
  return held.filter((chain) => !(gone.has(chain.chainId) && isWanted(chain)));
}

/** The chains, but for those whose rows could not be told apart from an earlier one's. @param problems is told of these */
function toldApart(chains: readonly ChainFacts[], problems: Map<string, FirnError>): ChainFacts[] {
  const apart: ChainFacts[] = [];
  for (const chain of chains) {
    const other = apart.find((one) => areConfused(one, chain));
    if (other) problems.set(chain.alias, confused(chain, other));
    else apart.push(chain);
  }
  return apart;
}

/** Whether two chains are not the same, though their rows could not be told apart. */
const areConfused = (one: ChainFacts, other: ChainFacts): boolean =>
  one.chainId === other.chainId && (differ(idOf(one), idOf(other)) || differ(one.genesisHash, other.genesisHash));

/** The id of its blockchain (36 bytes in base 58); null where another name stands for it. */
const idOf = ({ blockchainId }: ChainFacts) =>
  /^[1-9A-HJ-NP-Za-km-z]{36,}$/.test(blockchainId ?? '') ? blockchainId : null;

const confused = ({ alias, chainId }: ChainFacts, other: ChainFacts) =>
  new FirnError(
    'config',
    `${alias} has the EVM chain id ${chainId}, as ${other.name} has, and rows are told apart by it. Read it into another warehouse, or, ` +
      'if that one is gone, drop what was read of it: "firn state" lists its partitions, "firn state drop" takes them.',
  );

/**
 * Where no EVM chain answers, as on a node that is bootstrapping, the network's number alone tells that the node is of another one.
 *
 * @throws FirnError `network_mismatch`
 */
async function assertSameNetwork({ name, identity, ask }: Asker, { networkId }: NetworkFacts): Promise<void> {
  const { value } = await orProblem(ask(identity.network()));
  if (value && value.networkId !== networkId)
    throw mismatch(`The warehouse holds network ${networkId}, the ${name} is of network ${value.networkId}.`);
}

/** @throws FirnError `network_mismatch` where what answers now is not the chain that is pinned */
function assertSame(source: string, pinned: ChainFacts, { chainId, genesisHash }: ChainFacts): void {
  if (chainId !== pinned.chainId)
    throw mismatch(
      `The warehouse holds ${pinned.name} with chain id ${pinned.chainId}, the ${source} answers ${chainId}.`,
    );
  if (differ(pinned.genesisHash, genesisHash))
    throw mismatch(
      `The warehouse holds ${pinned.name} with genesis ${pinned.genesisHash}, the ${source} has ${genesisHash}.`,
    );
}
