import { rawElements, rawMembers } from '../rawMembers.ts';
import type { EvmBlockRecord, EvmChain, Raw } from '../types.ts';
import { visibleCount } from '../visibleCount.ts';
import type { BlockName } from './evmParams.ts';
import { RpcError } from './rpcError.ts';

/** The blocks and transactions of an EVM chain, as far as they exist at a moment. */
export interface EvmBlocks {
  /** Number of the newest block; genesis is always there. */
  last(now: number): number;
  /** null if there is no such block. Throws for a number above the newest. */
  find(name: BlockName, now: number): EvmBlockRecord | null;
  findTx(hash: string, now: number): { readonly block: EvmBlockRecord; readonly position: number } | null;
}

/** `isMissing` hides heights from a node that does not hold them. */
export function createEvmBlocks(chain: EvmChain, isMissing: (number: number) => boolean): EvmBlocks {
  const { blocks } = chain;
  let numbers: Map<string, number> | undefined;
  let txs: Map<string, { number: number; position: number }> | undefined;
  const last = (now: number): number => Math.max(0, visibleCount(blocks, now) - 1);
  const at = (number: number | undefined, now: number): EvmBlockRecord | null =>
    number === undefined || number > last(now) || isMissing(number) ? null : (blocks[number] ?? null);

  return {
    last,
    find(name, now) {
      if ('latest' in name) return at(last(now), now);
      if ('number' in name) {
        if (name.number > BigInt(last(now))) throw new RpcError('cannot query unfinalized data');
        return at(Number(name.number), now);
      }
      numbers ??= new Map(blocks.map(({ hash, number }) => [hash, number]));
      return at(numbers.get(name.hash), now);
    },
    findTx(hash, now) {
      txs ??= new Map(
        blocks.flatMap((block) => txHashes(block).map((tx, position) => [tx, { number: block.number, position }])),
      );
      const place = txs.get(hash);
      const block = at(place?.number, now);
      return block === null || place === undefined ? null : { block, position: place.position };
    },
  };
}

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

function writeMembers(members: ReadonlyMap<string, Raw>): Raw {
  return `{${[...members].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join()}}`;
}
