import { sha256 } from '../codec/hashes.ts';
import { rawElements, rawMembers, writeMembers } from '../codec/rawMembers.ts';
import { visibleCount } from '../countUpTo.ts';
import type { EvmBlockRecord, EvmChain, Raw } from '../types.ts';
import type { BlockName } from './evmParams.ts';
import { inGaps, type NodeSettings } from './nodeSettings.ts';
import { RpcError } from './rpcError.ts';

/** The blocks and transactions of an EVM chain, as far as they exist at a moment. */
export interface EvmBlocks {
  /** Number of the newest block that is executed, which most are when they are accepted; genesis is always there. */
  last(now: number): number;
  /** Number of the newest block. */
  newest(now: number): number;
  /** null if there is no such block. Throws for a number above the newest, as a node does that executes blocks before it accepts them. */
  find(name: BlockName, now: number): EvmBlockRecord | null;
  findTx(hash: string, now: number): { readonly block: EvmBlockRecord; readonly position: number } | null;
  /** A recorded block as it is shown: before it is accepted, another block is shown in its place. */
  shown(block: EvmBlockRecord, now: number): EvmBlockRecord;
  /** Whether the node holds the state after a block. */
  hasState(block: EvmBlockRecord, now: number): boolean;
}

export function createEvmBlocks({ name: chain, blocks }: EvmChain, settings: () => NodeSettings): EvmBlocks {
  let numbers: Map<string, number> | undefined;
  let txs: Map<string, { number: number; position: number }> | undefined;
  const accepted = (now: number): number => Math.max(0, visibleCount(blocks, now) - 1);
  /** Up to which block the newest one settles the others, where blocks are executed after they were accepted. */
  const settled = (now: number): number | undefined => blocks[accepted(now)]?.settledHeight;
  const newest = (now: number): number =>
    settled(now) === undefined
      ? Math.min(accepted(now) + settings().unaccepted, Math.max(0, blocks.length - 1))
      : accepted(now);
  // No block settles another one that is not executed.
  const last = (now: number): number => Math.max(settled(now) ?? newest(now), newest(now) - settings().unexecuted);
  const shown = (block: EvmBlockRecord, now: number): EvmBlockRecord => {
    if (block.number > accepted(now)) return sibling(blocks, block, accepted(now));
    return settled(now) === undefined ? block : { ...block, block: withoutDifficulty(block.block) };
  };
  const at = (number: number | undefined, now: number): EvmBlockRecord | null => {
    if (number === undefined || number > newest(now) || inGaps(settings().gaps[chain], number)) return null;
    const block = blocks[number];
    return block === undefined ? null : shown(block, now);
  };
  return {
    last,
    newest,
    find(name, now) {
      if ('latest' in name) return at(last(now), now);
      if ('accepted' in name) return at(settled(now) ?? accepted(now), now);
      if ('number' in name) {
        if (settled(now) === undefined && name.number > BigInt(newest(now)))
          throw new RpcError('cannot query unfinalized data');
        return at(Number(name.number), now);
      }
      numbers ??= new Map(blocks.map(({ hash, number }) => [hash, number]));
      const number = numbers.get(name.hash);
      if (number !== undefined) return number > accepted(now) ? null : at(number, now);
      const siblings = blocks.slice(accepted(now) + 1, newest(now) + 1).map((block) => shown(block, now));
      return siblings.find(({ hash }) => hash === name.hash) ?? null;
    },
    findTx(hash, now) {
      txs ??= new Map(
        blocks.flatMap((block) => txHashes(block).map((tx, position) => [tx, { number: block.number, position }])),
      );
      const place = txs.get(hash);
      const block = at(place?.number, now);
      return block === null || place === undefined ? null : { block, position: place.position };
    },
    shown,
    hasState: ({ number }, now) => number > last(now) - settings().stateBlocks,
  };
}

/** A node that executes blocks after it accepted them does not know the total difficulty of any. */
const withoutDifficulty = (block: Raw): Raw =>
  block.replace(/"totalDifficulty":"0x[\da-f]+"/, '"totalDifficulty":"0x0"');

/**
 * A block that will lose to another one of the same height: the same transactions under another hash, which depends on the
 * last block that is accepted, and so do those of its children.
 */
function sibling(blocks: readonly EvmBlockRecord[], block: EvmBlockRecord, accepted: number): EvmBlockRecord {
  const parent = blocks[block.number - 1];
  const hash = siblingHash(block.hash, accepted);
  const renamed = (text: Raw): Raw => {
    const own = text.replaceAll(block.hash, hash);
    return parent === undefined || parent.number <= accepted
      ? own
      : own.replaceAll(parent.hash, siblingHash(parent.hash, accepted));
  };
  return { ...block, hash, block: renamed(block.block), receipts: renamed(block.receipts) };
}

const siblingHash = (hash: string, accepted: number): string =>
  `0x${sha256(Buffer.from(`${hash} before ${accepted}`)).toString('hex')}`;

/** Raw transactions of a block. */
export function transactionsOf(block: EvmBlockRecord): Raw[] {
  return rawElements(rawMembers(block.block).get('transactions') ?? '[]');
}

export function txHashes(block: EvmBlockRecord): string[] {
  return transactionsOf(block).map((tx) => JSON.parse(rawMembers(tx).get('hash') ?? '""') as string);
}

/** The block as `eth_getBlockBy…` gives it without whole transactions. */
export function withHashes(block: EvmBlockRecord): Raw {
  const members = rawMembers(block.block);
  members.set('transactions', JSON.stringify(txHashes(block)));
  return writeMembers(members);
}

/** The header as `eth_getHeaderBy…` gives it: the block without what is not in a header. */
export function headerOf(block: EvmBlockRecord): Raw {
  const members = rawMembers(block.block);
  for (const name of ['size', 'transactions', 'uncles', 'blockExtraData']) members.delete(name);
  return writeMembers(members);
}
