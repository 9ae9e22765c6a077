import { fromCheckedHex, toCheckedHex } from '../codec/bytes.ts';
import { rawMembers } from '../codec/rawMembers.ts';
import { txBytes } from '../codec/txBytes.ts';
import { visibleCount } from '../countUpTo.ts';
import type { LinearBlockRecord, Raw } from '../types.ts';
import { type Args, type Encoding, encoding, id, type Method, method, readArgs, recodeHex, uint64 } from './args.ts';
import { RpcError } from './rpcError.ts';

/** Blocks and transactions of the P-Chain or X-Chain, as far as they exist at a moment. */
export interface LinearBlocks {
  height(now: number): number;
  at(height: number): LinearBlockRecord | undefined;
  /** Height of the block that holds a transaction, or null. */
  heightOfTx(id: string, now: number): number | null;
  readonly getBlock: Method;
  readonly getBlockByHeight: Method;
  /** Throws with `unknown` for a transaction that does not exist yet. */
  getTx(args: Args, now: number, unknown: string): Raw;
}

export function createLinearBlocks(blocks: readonly LinearBlockRecord[]): LinearBlocks {
  let heights: Map<string, number> | undefined;
  let txHeights: Map<string, number> | undefined;
  const visible = (height: number | undefined, now: number): number | null =>
    height !== undefined && height < visibleCount(blocks, now) ? height : null;
  const heightOfTx = (txID: string, now: number): number | null => {
    txHeights ??= new Map(blocks.flatMap(({ height, txs }) => [...txs.keys()].map((tx) => [tx, height] as const)));
    return visible(txHeights.get(txID), now);
  };
  const at = (height: number | null, name: string): LinearBlockRecord => {
    if (height === null) throw new RpcError(`couldn't get block ${name}: not found`);
    return blocks[height] as LinearBlockRecord;
  };
  return {
    height: (now) => Math.max(0, visibleCount(blocks, now) - 1),
    at: (height) => blocks[height],
    heightOfTx,
    getBlock: method({ blockID: id, encoding }, ({ blockID, encoding }, now) => {
      heights ??= new Map(blocks.map((block) => [block.id, block.height]));
      return write(at(visible(heights.get(blockID), now), `with id ${blockID}`), encoding);
    }),
    getBlockByHeight: method({ height: uint64, encoding }, ({ height, encoding }, now) => {
      const known = height < BigInt(blocks.length) ? visible(Number(height), now) : null;
      return write(at(known, `at height ${height}`), encoding);
    }),
    getTx(args, now, unknown) {
      const txID = readArgs(id, args['txID']);
      const form = readArgs(encoding, args['encoding']);
      const height = heightOfTx(txID, now);
      if (height === null) throw new RpcError(unknown);
      return writeTx(blocks[height] as LinearBlockRecord, txID, form);
    },
  };
}

function write({ json, hex }: LinearBlockRecord, encoding: Encoding): Raw {
  if (encoding === 'json') return json;
  return encoding === 'hex' ? hex : `{"block":"${recodeHex(blockHex(hex), encoding)}","encoding":"${encoding}"}`;
}

function writeTx({ hex, txs }: LinearBlockRecord, txID: string, encoding: Encoding): Raw {
  if (encoding === 'json') return txs.get(txID) as Raw;
  const bytes = txBytes(fromCheckedHex(blockHex(hex)), [...txs.keys()], txID);
  if (bytes === null) throw new RpcError(`the recording holds transaction ${txID} in json only`);
  return `{"tx":"${recodeHex(toCheckedHex(bytes), encoding)}","encoding":"${encoding}"}`;
}

function blockHex(result: Raw): string {
  return JSON.parse(rawMembers(result).get('block') ?? '""') as string;
}
