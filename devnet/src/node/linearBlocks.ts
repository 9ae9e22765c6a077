import { decodeHex, encodeHex } from '../cb58.ts';
import { rawMembers } from '../rawMembers.ts';
import type { LinearBlockRecord, Raw } from '../types.ts';
import { visibleCount } from '../visibleCount.ts';
import { type Args, encodingArg, idArg, recodeHex, uint64Arg } from './args.ts';
import { RpcError } from './rpcError.ts';
import { txBytes } from './txBytes.ts';

/** Blocks and transactions of the P-Chain or X-Chain, as far as they exist at a moment. */
export interface LinearBlocks {
  height(now: number): number;
  at(height: number): LinearBlockRecord | undefined;
  /** Height of the block that holds a transaction, or null. */
  heightOfTx(id: string, now: number): number | null;
  getBlock(args: Args, now: number): Raw;
  getBlockByHeight(args: Args, now: number): Raw;
  /** Throws with `unknown` for a transaction that does not exist yet. */
  getTx(args: Args, now: number, unknown: string): Raw;
}

export function createLinearBlocks(blocks: readonly LinearBlockRecord[]): LinearBlocks {
  let heights: Map<string, number> | undefined;
  let txHeights: Map<string, number> | undefined;
  const visible = (height: number | undefined, now: number): number | null =>
    height !== undefined && height < visibleCount(blocks, now) ? height : null;

  const heightOfTx = (id: string, now: number): number | null => {
    txHeights ??= new Map(blocks.flatMap(({ height, txs }) => [...txs.keys()].map((tx) => [tx, height] as const)));
    return visible(txHeights.get(id), now);
  };
  const write = (height: number, args: Args): Raw => {
    const { json, hex } = blocks[height] as LinearBlockRecord;
    const encoding = encodingArg(args);
    if (encoding === 'json') return json;
    return encoding === 'hex' ? hex : `{"block":"${recodeHex(blockHex(hex), encoding)}","encoding":"${encoding}"}`;
  };

  return {
    height: (now) => Math.max(0, visibleCount(blocks, now) - 1),
    at: (height) => blocks[height],
    heightOfTx,
    getBlock(args, now) {
      const id = idArg(args, 'blockID');
      encodingArg(args);
      heights ??= new Map(blocks.map((block) => [block.id, block.height]));
      const height = visible(heights.get(id), now);
      if (height === null) throw new RpcError(`couldn't get block with id ${id}: not found`);
      return write(height, args);
    },
    getBlockByHeight(args, now) {
      const wanted = uint64Arg(args, 'height');
      encodingArg(args);
      const height = wanted < BigInt(blocks.length) ? visible(Number(wanted), now) : null;
      if (height === null) throw new RpcError(`couldn't get block at height ${wanted}: not found`);
      return write(height, args);
    },
    getTx(args, now, unknown) {
      const id = idArg(args, 'txID');
      const encoding = encodingArg(args);
      const height = heightOfTx(id, now);
      if (height === null) throw new RpcError(unknown);
      const { hex, txs } = blocks[height] as LinearBlockRecord;
      if (encoding === 'json') return txs.get(id) as Raw;
      const bytes = txBytes(decodeHex(blockHex(hex)), [...txs.keys()], id);
      if (bytes === null) throw new RpcError(`the recording holds transaction ${id} in json only`);
      return `{"tx":"${recodeHex(encodeHex(bytes), encoding)}","encoding":"${encoding}"}`;
    },
  };
}

function blockHex(result: Raw): string {
  return JSON.parse(rawMembers(result).get('block') ?? '""') as string;
}
