import { toHex } from '../../decode/bytes/hex.ts';
import { listRoot } from '../../decode/evm/listRoot.ts';
import { logsBloom } from '../../decode/evm/logsBloom.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { encodeReceiptRow, logsByTransaction } from './encodeReceiptRow.ts';
import type { BlockRows } from './evidenceRows.ts';

/** A header that settles blocks: its receipts root and bloom are of their receipts, in the order of the blocks (ACP-194). */
export interface Settler {
  readonly number: number;
  /** The blocks that it settles. */
  readonly first: number;
  readonly last: number;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
}

/** What the rows of settled blocks give, and what the header says that settles them. */
export interface Settlement {
  readonly by: Settler;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
}

/** Blocks that one header settles, and those up to it, are some seconds of a chain: no more than this many are looked at together. */
const mostSettled = 1000;

/** The headers that settle the blocks `from`..`to` of a chain, by height; those of which the block before is not held are left out. */
export async function readSettlers(
  warehouse: Warehouse,
  chainId: string,
  from: number,
  to: number,
): Promise<Settler[]> {
  const rows = await warehouse.query<Record<'number' | 'first' | 'last', bigint> & Record<'root' | 'bloom', string>>(
    `SELECT n."number", p.settled_height + 1 AS first, n.settled_height AS last, n.receipts_root AS root, n.logs_bloom AS bloom
     FROM raw.node_evm_blocks AS n JOIN raw.node_evm_blocks AS p ON p.chain_id = n.chain_id AND p."number" = n."number" - 1
     WHERE n.chain_id = $1 AND n."number" BETWEEN $2 AND $3 + $4 AND p."number" BETWEEN $2 - 1 AND $3 + $4
       AND n.settled_height >= $2 AND p.settled_height < $3 AND n.settled_height - p.settled_height BETWEEN 1 AND $4
     ORDER BY n."number"`,
    [chainId, BigInt(from), BigInt(to), BigInt(mostSettled)],
  );
  return rows.map(({ number, first, last, root, bloom }) => ({
    number: Number(number),
    first: Number(first),
    last: Number(last),
    receiptsRoot: root,
    logsBloom: bloom,
  }));
}

/** By height, what settles each block. Where one of the blocks that are settled together lacks receipts or logs, none of them is there. */
export function settlementsOf(settlers: readonly Settler[], blocks: readonly BlockRows[]): Map<number, Settlement> {
  const held = new Map(blocks.map((block) => [block.number, block]));
  const settlements = new Map<number, Settlement>();
  for (const by of settlers) {
    const heights = Array.from({ length: by.last - by.first + 1 }, (_, i) => by.first + i);
    const settled = heights.flatMap((height) => held.get(height) ?? []);
    const isWhole = settled.every(
      (block) => block.dropped.size === 0 && block.receipts.length === block.transactions.length,
    );
    if (settled.length < heights.length || !isWhole) continue;
    const settlement = { by, ...receiptsOf(settled) };
    for (const height of heights) settlements.set(height, settlement);
  }
  return settlements;
}

function receiptsOf(blocks: readonly BlockRows[]): Pick<Settlement, 'receiptsRoot' | 'logsBloom'> {
  const logs = blocks.map(logsByTransaction);
  const encoded = blocks.flatMap(({ receipts }, block) =>
    receipts.map((receipt, i) => encodeReceiptRow(receipt, logs[block]?.get(i) ?? [])),
  );
  return {
    receiptsRoot: toHex(listRoot(encoded)),
    logsBloom: toHex(logsBloom(logs.flatMap((of) => [...of.values()].flat()))),
  };
}
