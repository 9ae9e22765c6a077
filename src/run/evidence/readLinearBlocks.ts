import { groupBy } from '../../core/groupBy.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { readContainerRows } from './evidenceRows.ts';
import type { LinearBlock } from './proveLinearBlock.ts';

interface BlockRow {
  readonly index: bigint;
  readonly height: bigint;
  readonly block_id: string;
  readonly parent_id: string;
}

/** The blocks `from`..`to` of the P- or X-Chain that the warehouse holds, by height. */
export async function readLinearBlocks(
  warehouse: Warehouse,
  chain: 'P' | 'X',
  from: number,
  to: number,
): Promise<LinearBlock[]> {
  const table = `raw.node_containers_${chain.toLowerCase()}`;
  const indexName = `${chain}/block`;
  const rows = await warehouse.query<BlockRow>(
    `SELECT "index", height, block_id, parent_id FROM ${table}_blocks
     WHERE index_name = $1 AND height BETWEEN $2 AND $3 ORDER BY height`,
    [indexName, BigInt(from - 1), BigInt(to)],
  );
  const transactions = await warehouse.query<{ height: bigint; tx_id: string }>(
    `SELECT block_height AS height, tx_id FROM ${table}_transactions
     WHERE index_name = $1 AND block_height BETWEEN $2 AND $3 ORDER BY block_height, "position"`,
    [indexName, BigInt(from), BigInt(to)],
  );
  const held = groupBy(transactions, ({ height }) => Number(height));
  const heights = new Map(rows.map(({ index, height }) => [Number(index), Number(height)]));
  const containers = await readContainerRows(warehouse, indexName, heights);
  const ids = new Map(rows.map(({ height, block_id }) => [Number(height), block_id]));
  return rows.flatMap(({ height: own, block_id, parent_id }) => {
    const height = Number(own);
    const container = containers.get(height);
    if (height < from || !container) return [];
    return {
      height,
      blockId: block_id,
      parentId: parent_id,
      previousId: ids.get(height - 1) ?? null,
      txIds: (held.get(height) ?? []).map(({ tx_id }) => tx_id),
      container,
    };
  });
}
