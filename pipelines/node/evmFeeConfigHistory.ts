import { z } from 'zod';
import {
  type Asking,
  defineStream,
  elsewhere,
  FirnError,
  findHeight,
  int64,
  isOfPruned,
  memberOf,
  numberIn,
  optional,
  type Page,
  type Pages,
  rawOf,
  type Window,
  wholeNumberOf,
} from '../../src/index.ts';
import { isChainConfig } from './evmChainConfig.ts';
import { ofEvmChains } from './evmChains.ts';
import { feeConfig, isFeeConfig } from './evmFeeConfig.ts';
import { orSaid } from './orSaid.ts';
import { blockHeader, blockTime, newestBlock, quantity } from './readEvmBlocks.ts';
import { rpcMessage } from './rpcMessage.ts';
import { node } from './source.ts';

/** What the newest configuration that was read says: as long as it holds, there is no newer one. */
type Known = { readonly lastChangedAt: number; readonly from: number };

/** A block whose state the node has pruned, where a read met one. */
type Pruned = { below: number | null };

/** Every fee configuration of EVM L1s, back to genesis: each answer names the block that set it, and the block before that has the previous one. */
export const evmFeeConfigHistory = defineStream(node, {
  name: 'evm_fee_config_history',
  description: 'Every fee configuration since genesis with the block that set it. Not offered by the C-Chain.',
  endpoint: 'eth_feeConfig at a block, eth_getChainConfig',
  ...ofEvmChains,
  state: (): Pruned => ({ below: null }),
  schema: z.object({
    fromBlock: int64(
      'Block that set it, 0 for genesis: it holds for the blocks behind that one, up to the next one of the chain.',
    ),
    feeConfig,
    lastChangedAt: optional(elsewhere('Block that last changed it, as the node names it.')),
  }),
  key: ['chain_id', 'from_block'],
  range: 'from_block',
  way: 'newestFirst',
  pages: ({ settings }, { position }: Window<Known>, pruned) => feeConfigPages(settings.path, pruned, position),
  records: { about: 'fromBlock' },
  notes: (_, { below }) => {
    if (below === null) return [];
    return [
      `The node no longer holds the state of block ${below}, so the fee configurations before it are missing. An archive node has them; the next run asks again.`,
    ];
  },
});

function* feeConfigPages(path: string, pruned: Pruned, known: Known | null): Pages<Known> {
  const check = (body: unknown) => isFeeConfig(body) && changedAt(body);
  const ask = (at: string, about?: number) =>
    ({ kind: 'rpc', path, about, call: { method: 'eth_feeConfig', params: [at], check } }) as const;
  const { body: newest } = yield ask('latest');
  const isKnown = known?.lastChangedAt === changedAt(newest);
  if (isKnown && known.lastChangedAt > 0) return;
  const head = yield* newestBlock(path);
  // The genesis configuration may be in force once more, with others between.
  if (isKnown && !(yield* isReverted(path, head, known.from))) return;
  const { heights: reverts, unknown } = yield* revertHeights(path, head);
  let position: Known | undefined;
  for (let at = head; at >= 0 && at >= (known?.from ?? 0); ) {
    // Where a fee manager was switched off, the genesis configuration is in force again, which says 0 as its block: it holds from the block of
    // the switch on.
    const revertedAt = Math.max(0, ...reverts.filter((height) => height <= at));
    let page: Page;
    try {
      // Of a block that a node lacks, as after a state sync, the method itself crashes.
      if (at < head) yield* blockHeader(path, at);
      page = yield ask(quantity(at), revertedAt);
    } catch (error) {
      if (!isOfPruned(rpcMessage(error)) && !lacksIt(error, at)) throw error;
      pruned.below = at;
      return;
    }
    const lastChangedAt = changedAt(page.body);
    if (lastChangedAt > at) throw ignoresBlock(path, at, lastChangedAt);
    const from = Math.max(lastChangedAt, revertedAt);
    // That of genesis, in force again since a block that is not known.
    if (from === 0 && unknown !== undefined) {
      yield { kind: 'read', page };
      page.drop();
      pruned.below = unknown;
      return;
    }
    page.isAbout(from);
    position ??= { lastChangedAt, from };
    at = from - 1;
  }
  if (position) yield { kind: 'advance', position };
}

const changedAt = (body: unknown) =>
  memberOf(body, 'lastChangedAt') == null ? 0 : wholeNumberOf(body, 'lastChangedAt');

/** Whether the fee manager was switched off after a block; also where the node lacks that block, and so does not tell. */
function* isReverted(path: string, head: number, known: number): Asking<boolean> {
  const after = yield* orSaid(blockTime(path, known));
  if (after instanceof FirnError) {
    if (lacksIt(after, known)) return true;
    throw after;
  }
  const { heights, unknown } = yield* revertHeights(path, head, after);
  return heights.length > 0 || unknown !== undefined;
}

interface Reverts {
  readonly heights: number[];
  /** A block that the node lacks, so that it does not tell at which height up to the next one there is another. */
  readonly unknown: number | undefined;
}

/** The heights at which upgrades switched the fee manager off, of those that are later than a time. */
function* revertHeights(path: string, head: number, after = -1): Asking<Reverts> {
  const { body } = yield {
    kind: 'rpc',
    path,
    call: { method: 'eth_getChainConfig', params: [], check: isChainConfig },
  };
  const upgrades = rawOf(rawOf(body)['upgrades'])['precompileUpgrades'];
  const heights: number[] = [];
  let unknown: number | undefined;
  for (const upgrade of Array.isArray(upgrades) ? upgrades : []) {
    const { disable, blockTimestamp } = rawOf(rawOf(upgrade)['feeManagerConfig']);
    const time = numberIn(blockTimestamp);
    if (!disable || !(time > after)) continue;
    const height = yield* orSaid(findHeight({ time }, head, (at) => blockTime(path, at)));
    if (!(height instanceof FirnError)) {
      if (height <= head) heights.push(height);
      continue;
    }
    if (height.context.lacks === undefined) throw height;
    unknown = height.context.lacks;
  }
  return { heights, unknown };
}

const ignoresBlock = (path: string, asked: number, changed: number) =>
  new FirnError(
    'contract',
    `${path} eth_feeConfig at block ${asked} answered a configuration of block ${changed}: it ignores the block that is asked for. Ask another node.`,
  );

const lacksIt = (error: unknown, height: number) => error instanceof FirnError && error.context.lacks === height;
