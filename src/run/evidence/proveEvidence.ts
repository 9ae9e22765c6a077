import { availableParallelism } from 'node:os';
import { hasCode } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import type { ChainFacts } from '../../core/stream/network.ts';
import { decodeCb58 } from '../../decode/bytes/cb58.ts';
import { startSenders } from '../../decode/senders/enricher.ts';
import type { SenderPool } from '../../decode/senders/senderPool.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { blockchainIdOf, evidenceBounds, evidenceChains } from './evidenceChains.ts';
import { type BlockEvidence, createEvidence, type Link, type LinkVerdict } from './evidenceLinks.ts';
import { type BlockRows, readBlockRows } from './evidenceRows.ts';
import { proveEvmBlock, transactionBytes } from './proveEvmBlock.ts';
import { proveLinearBlock } from './proveLinearBlock.ts';
import { readLinearBlocks } from './readLinearBlocks.ts';
import { readSettlers, settlementsOf } from './settlements.ts';
import { writeEvidence } from './writeEvidence.ts';

export interface EvidenceOptions {
  readonly warehouse: Warehouse;
  /** A chain id, alias or blockchain id; all chains if omitted. */
  readonly chain?: string;
  /** First and last height; the whole history if omitted. */
  readonly from?: number;
  readonly to?: number;
  readonly signal?: AbortSignal;
  readonly log?: Log;
  readonly progress?: (chain: string, done: number, total: number) => void;
}

/** What was proven of one chain. */
export interface ChainEvidence {
  readonly chainId: string;
  readonly name: string;
  readonly blocks: number;
  readonly first: number;
  readonly last: number;
  /** Blocks by verdict, for every link. */
  readonly links: Readonly<Record<Link, Readonly<Partial<Record<LinkVerdict, number>>>>>;
  readonly brokenBlocks: number;
  readonly blocksPerSecond: number;
}

export interface EvidenceReport {
  readonly chains: readonly ChainEvidence[];
  /** Up to 20 blocks that break, with the first thing that does. */
  readonly broken: readonly {
    readonly chainId: string;
    readonly number: number;
    readonly hash: string;
    readonly what: string;
  }[];
  /** Whether nothing breaks. */
  readonly ok: boolean;
}

/** Blocks proven at once. */
const step = 1000;
const mostShown = 20;

/**
 * Proves what the warehouse holds without trusting anybody: from the signature of each container down to the rows that the metrics count.
 * What was proven stays in `firn.evidence`, range by range, so that an interrupted run keeps what it has.
 */
export async function proveEvidence(options: EvidenceOptions): Promise<EvidenceReport> {
  const { warehouse, signal, progress } = options;
  const pool = startSenders(availableParallelism(), options.log);
  const chains: ChainEvidence[] = [];
  const broken: EvidenceReport['broken'][number][] = [];
  try {
    for (const chain of await evidenceChains(warehouse, options.chain)) {
      const bounds = await evidenceBounds(warehouse, chain, options);
      if (!bounds || signal?.aborted) continue;
      const { chainId, name } = chain;
      const sums = tally();
      const begun = performance.now();
      for await (const { to, blocks } of proveRanges(warehouse, chain, bounds, pool)) {
        for (const block of blocks) {
          sums.add(block);
          if (block.broken === null || broken.length >= mostShown) continue;
          broken.push({ chainId, number: block.number, hash: block.hash, what: block.broken });
        }
        progress?.(name, to - bounds.first + 1, bounds.last - bounds.first + 1);
        if (signal?.aborted) break;
      }
      const seconds = (performance.now() - begun) / 1000;
      const told = sums.read();
      chains.push({ chainId, name, ...bounds, ...told, blocksPerSecond: told.blocks / seconds });
    }
  } finally {
    await pool.close();
  }
  return { chains, broken, ok: chains.every(({ brokenBlocks }) => brokenBlocks === 0) };
}

/** Proves a chain range by range, and notes each. While one is proven, the next is read and its senders recovered. */
async function* proveRanges(
  warehouse: Warehouse,
  chain: ChainFacts,
  { first, last }: Pick<ChainEvidence, 'first' | 'last'>,
  pool: SenderPool,
) {
  const prepare = (from: number) => {
    const to = Math.min(from + step - 1, last);
    return chain.vm === 'evm'
      ? prepareEvm(warehouse, chain, from, to, pool)
      : prepareLinear(warehouse, chain, from, to);
  };
  let ahead = prepare(first);
  for (let from = first; from <= last; from += step) {
    const to = Math.min(from + step - 1, last);
    const prove = await ahead;
    if (to < last) ahead = prepare(to + 1);
    // An error is thrown when its turn comes; until then it must not count as unhandled.
    ahead.catch(() => {});
    const blocks = prove();
    await writeEvidence(warehouse, chain.chainId, from, to, blocks);
    yield { to, blocks };
  }
}

type Prove = () => BlockEvidence[];

async function prepareEvm(
  warehouse: Warehouse,
  chain: ChainFacts,
  from: number,
  to: number,
  pool: SenderPool,
): Promise<Prove> {
  const settlers = await readSettlers(warehouse, chain.chainId, from, to);
  const lowest = Math.min(from - 1, settlers[0]?.first ?? from);
  const held = await readBlockRows(warehouse, chain, Math.max(0, lowest), Math.max(to, settlers.at(-1)?.last ?? to));
  const hashes = new Map(held.map(({ number, block }) => [number, String(block['hash'])]));
  const blocks: BlockRows[] = held.filter(({ number }) => number >= from && number <= to);
  const raws = blocks.map(transactionBytes);
  const senders = await pool.recover(raws.flat());
  const blockchainId = blockchainIdOf(chain);
  return () => {
    let next = 0;
    const settlements = settlementsOf(settlers, held);
    return blocks.map((rows, i) => {
      const own = senders.slice(next, next + rows.transactions.length);
      next += own.length;
      const parentHash = hashes.get(rows.number - 1) ?? null;
      const settlement = settlements.get(rows.number) ?? null;
      const proof = { blockchainId, parentHash, senders: own, settlement };
      return orUnreadable(rows.number, String(rows.block['hash']), () => proveEvmBlock(rows, raws[i] ?? [], proof));
    });
  };
}

async function prepareLinear(warehouse: Warehouse, chain: ChainFacts, from: number, to: number): Promise<Prove> {
  const letter = chain.alias === 'P' ? 'P' : 'X';
  const blockchainId = decodeCb58(chain.chainId);
  const blocks = await readLinearBlocks(warehouse, letter, from, to);
  return () =>
    blocks.map((block) =>
      orUnreadable(block.height, block.blockId, () => proveLinearBlock(letter, block, blockchainId)),
    );
}

/** Bytes that could be decoded when they were read, and cannot be decoded here, were changed since. */
function orUnreadable(number: number, hash: string, prove: () => BlockEvidence): BlockEvidence {
  try {
    return prove();
  } catch (error) {
    if (!hasCode(error, 'decode')) throw error;
    const evidence = createEvidence();
    evidence.check('container', false, () => `cannot be decoded: ${error.message}`);
    return evidence.build(number, hash);
  }
}

function tally() {
  const links: Record<string, Partial<Record<LinkVerdict, number>>> = {};
  let blocks = 0;
  let brokenBlocks = 0;
  return {
    add(block: BlockEvidence) {
      blocks++;
      if (block.broken !== null) brokenBlocks++;
      for (const [link, verdict] of Object.entries(block.links)) {
        links[link] ??= {};
        links[link][verdict] = (links[link][verdict] ?? 0) + 1;
      }
    },
    read: () => ({ blocks, brokenBlocks, links: links as ChainEvidence['links'] }),
  };
}
