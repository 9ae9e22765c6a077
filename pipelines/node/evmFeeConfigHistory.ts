import { z } from 'zod';
import {
  defineStream,
  findHeight,
  int64,
  type Pages,
  type Partition,
  type Request,
  type Response,
} from '../../src/index.ts';
import { chainIdColumn, evmChainIds, evmChains, rpcPath } from './evmChains.ts';
import { feeConfig } from './evmFeeConfig.ts';
import { rpcMessage } from './platform.ts';
import { blockTime, newestBlock, quantity } from './readEvmBlocks.ts';
import { node } from './source.ts';

interface FeeConfigAnswer {
  readonly lastChangedAt?: unknown;
}

interface Settings {
  readonly path: string;
  /** Block from which an answer holds, by answer. */
  readonly begins: WeakMap<object, number>;
  readonly pruned: { below: number | null };
}

interface ChainConfig {
  readonly upgrades?: {
    readonly precompileUpgrades?: readonly {
      readonly feeManagerConfig?: { readonly blockTimestamp?: number; readonly disable?: boolean };
    }[];
  } | null;
}

const settingsOf = (partition: Partition) => partition.settings as unknown as Settings;

/** Every fee configuration of EVM L1s, back to genesis: each answer names the block that changed it, and the block before knows the last one. */
export const evmFeeConfigHistory = defineStream(node, {
  name: 'evm_fee_config_history',
  description: 'Every fee configuration since genesis with the block from which it holds. Not offered by the C-Chain.',
  endpoint: 'eth_feeConfig at a block, eth_getChainConfig',
  parameters: z.strictObject({ blockchainIds: evmChainIds }),
  partitionColumns: [chainIdColumn],
  partitions: ({ blockchainIds }, network) =>
    evmChains(network, blockchainIds).map((chain) => ({
      values: { chain_id: chain.chainId },
      settings: { path: rpcPath(chain), begins: new WeakMap<object, number>(), pruned: { below: null } },
    })),
  schema: z.object({ fromBlock: int64('First block for which it holds; until the next one of the chain.'), feeConfig }),
  key: ['chain_id', 'from_block'],
  range: 'from_block',
  way: 'newestFirst',
  pages: (partition, { position }) =>
    feeConfigPages(settingsOf(partition), position as { lastChangedAt: number; from: number } | null),
  records: (body, partition) => {
    const fromBlock = settingsOf(partition).begins.get(body as object);
    if (fromBlock === undefined) return [];
    const { lastChangedAt: _, ...rest } = body as FeeConfigAnswer;
    return [{ ...rest, fromBlock }];
  },
  notes: (partition) => {
    const { below } = settingsOf(partition).pruned;
    if (below === null) return [];
    return [
      `The node no longer holds the state of block ${below}, so the fee configurations before it are missing. An archive node has them; the next run asks again.`,
    ];
  },
});

function* feeConfigPages(
  { path, begins, pruned }: Settings,
  known: { readonly lastChangedAt: number; readonly from: number } | null,
): Pages {
  const ask = (at: string) => ({ kind: 'rpc' as const, path, call: { method: 'eth_feeConfig', params: [at] } });
  const { body: newest } = yield ask('latest');
  const lastChangedAt = changedAt(newest);
  if (known?.lastChangedAt === lastChangedAt) return;
  const head = yield* newestBlock(path);
  const reverts = yield* revertHeights(path, head);
  let from = beginOf(lastChangedAt, head, reverts);
  const position = { lastChangedAt, from };
  begins.set(newest as object, from);
  while (from > 0 && from > (known?.from ?? -1)) {
    const before = from - 1;
    try {
      const { body } = yield ask(quantity(before));
      from = beginOf(changedAt(body), before, reverts);
      if (from > (known?.from ?? -1)) begins.set(body as object, from);
    } catch (error) {
      if (!isPruned(rpcMessage(error))) throw error;
      pruned.below = before;
      return;
    }
  }
  yield { kind: 'advance', position };
}

const changedAt = (body: unknown) => Number((body as FeeConfigAnswer).lastChangedAt ?? 0);

/** A fee manager that was switched off leaves the genesis configuration in force, which says 0: it holds from that block on. */
const beginOf = (changed: number, at: number, reverts: readonly number[]) =>
  Math.max(changed, ...reverts.filter((height) => height <= at));

/** The heights at which upgrades switched the fee manager off. */
function* revertHeights(path: string, head: number): Generator<Request, number[], Response> {
  const { body } = yield { kind: 'rpc', path, call: { method: 'eth_getChainConfig', params: [] } };
  const upgrades = (body as ChainConfig).upgrades?.precompileUpgrades ?? [];
  const heights: number[] = [];
  for (const { feeManagerConfig } of upgrades) {
    if (!feeManagerConfig?.disable || feeManagerConfig.blockTimestamp === undefined) continue;
    const height = yield* findHeight({ time: feeManagerConfig.blockTimestamp }, head, (at) => blockTime(path, at));
    if (height <= head) heights.push(height);
  }
  return heights;
}

const isPruned = (said: string) =>
  /missing trie node|historical state|state .*not available|not available.*state/i.test(said);
