import { Buffer } from 'node:buffer';
import { groupBy } from '../../core/groupBy.ts';
import type { ChainFacts } from '../../core/stream/network.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';

/** A row in which no number is rounded: INTEGER as number, BIGINT as bigint, DECIMAL as text, lists as JSON text. */
export type EvidenceRow = Readonly<Record<string, string | number | bigint | boolean | null>>;

/** The rows of one block that the metrics count, and its container where the index has it. */
export interface BlockRows {
  readonly number: number;
  /** Header columns, named as in `node_evm_blocks`. */
  readonly block: EvidenceRow;
  /** `node` has receipts and logs, `containers` has none. */
  readonly source: 'node' | 'containers';
  readonly transactions: readonly EvidenceRow[];
  readonly receipts: readonly EvidenceRow[];
  readonly logs: readonly EvidenceRow[];
  readonly container: ContainerRow | null;
  /** Of which nothing is held of a block so old, as such rows were dropped because of their age; it may have had none. */
  readonly dropped: ReadonlySet<Part>;
}

type Part = 'transactions' | 'receipts' | 'logs';
type Parts = Readonly<Record<'blocks' | Part, readonly EvidenceRow[]>>;

/** Where the rows of a block are, of tables from which old rows may be dropped. */
const tables: Readonly<Record<BlockRows['source'], Readonly<Partial<Record<Part, string>>>>> = {
  node: { transactions: 'raw.node_evm_transactions', receipts: 'raw.node_evm_receipts', logs: 'raw.node_evm_logs' },
  containers: { transactions: 'raw.node_containers_c_transactions' },
};

export interface ContainerRow {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Id of the container before it; null where it is not held. */
  readonly previousId: string | null;
}

/** All digits of an amount, also where 38 do not hold it. */
const exact = (name: string) => `coalesce(${name}_text, CAST("${name}" AS VARCHAR)) AS "${name}"`;

const header = `"number", hash, parent_hash, CAST(epoch("timestamp") AS BIGINT) AS "timestamp", timestamp_milliseconds, gas_used, gas_limit,
  ${exact('base_fee_per_gas')}, miner, ${exact('difficulty')}, nonce, sha3_uncles, state_root, transactions_root, receipts_root, logs_bloom, extra_data,
  mix_hash, ext_data_hash, ext_data_gas_used, block_extra_data, ${exact('block_gas_cost')}, blob_gas_used, excess_blob_gas,
  parent_beacon_block_root, min_delay_excess, target_exponent, min_price_exponent, settled_height, settled_gas_unix, settled_gas_numerator, settled_excess`;
const transaction = `tx_index, hash, "type", from_address, to_address, nonce, gas_limit, ${exact('gas_price')}, ${exact('max_fee_per_gas')},
  ${exact('max_priority_fee_per_gas')}, ${exact('max_fee_per_blob_gas')}, to_json(blob_versioned_hashes) AS blob_versioned_hashes, ${exact('value')}, input,
  signed_chain_id, access_list, v, r, s, y_parity`;

/** The rows of the blocks `from`..`to` of an EVM chain, by height. Blocks that are not held are left out. */
export async function readBlockRows(
  warehouse: Warehouse,
  chain: ChainFacts,
  from: number,
  to: number,
): Promise<BlockRows[]> {
  const where = 'chain_id = $1 AND "number" BETWEEN $2 AND $3';
  const values = [chain.chainId, BigInt(from), BigInt(to)];
  const read = (sql: string) => warehouse.query<EvidenceRow>(sql, values);
  const blocks = await read(
    `SELECT ${header}, withdrawals_root, requests_hash, withdrawals, _extra FROM raw.node_evm_blocks
     WHERE ${where} ORDER BY "number"`,
  );
  const transactions = await read(
    `SELECT "number", ${transaction} FROM raw.node_evm_transactions WHERE ${where} ORDER BY "number", tx_index`,
  );
  const receipts = await read(
    `SELECT "number", tx_index, transaction_hash, "type", status, root, cumulative_gas_used, gas_used, ${exact('effective_gas_price')},
       contract_address, logs_bloom, from_address, to_address
     FROM raw.node_evm_receipts WHERE ${where} ORDER BY "number", tx_index`,
  );
  const logs = await read(
    `SELECT "number", log_index, tx_index, transaction_hash, address, to_json(topics) AS topics, data
     FROM raw.node_evm_logs WHERE ${where} ORDER BY "number", log_index`,
  );
  const cuts = await readCuts(warehouse);
  const found = await readContainers(warehouse, chain, from, to, cuts);
  const fromNode = blockRows('node', { blocks, transactions, receipts, logs }, found.containers, cuts);
  const held = new Set(fromNode.map(({ number }) => number));
  const others = found.blocks.filter(({ number }) => !held.has(number));
  return [...fromNode, ...others].sort((a, b) => a.number - b.number);
}

/** Blocks of the chain's index by height, and the rows decoded out of them. */
async function readContainers(warehouse: Warehouse, chain: ChainFacts, from: number, to: number, cuts: Cuts) {
  const indexName = `${chain.alias}/block`;
  const blocks = await warehouse.query<EvidenceRow>(
    `SELECT "index", ${header}, to_json(unknown_header_fields) AS unknown_header_fields FROM raw.node_containers_c_blocks
     WHERE index_name = $1 AND "number" BETWEEN $2 AND $3 ORDER BY "number"`,
    [indexName, BigInt(from), BigInt(to)],
  );
  const heights = new Map(blocks.map((block) => [Number(block['index']), Number(block['number'])]));
  const transactions = await warehouse.query<EvidenceRow>(
    `SELECT block_number AS "number", ${transaction}, raw_transaction FROM raw.node_containers_c_transactions
     WHERE index_name = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, tx_index`,
    [indexName, BigInt(from), BigInt(to)],
  );
  const containers = await readContainerRows(warehouse, indexName, heights);
  return {
    containers,
    blocks: blockRows('containers', { blocks, transactions, receipts: [], logs: [] }, containers, cuts),
  };
}

/** By table, the moment before which its rows were dropped because of their age, in seconds. */
type Cuts = ReadonlyMap<string, bigint>;

async function readCuts(warehouse: Warehouse): Promise<Cuts> {
  const rows = await warehouse.query<{ table: string; before: bigint }>(
    'SELECT "table", CAST(epoch(max("before")) AS BIGINT) AS "before" FROM firn.dropped GROUP BY "table"',
  );
  return new Map(rows.map(({ table, before }) => [table, before]));
}

/** Each block with its rows, in their order. */
function blockRows(
  source: BlockRows['source'],
  rows: Parts,
  containers: ReadonlyMap<number, ContainerRow>,
  cuts: Cuts,
): BlockRows[] {
  const byNumber = (of: readonly EvidenceRow[]) => groupBy(of, (row) => Number(row['number']));
  const [transactions, receipts, logs] = [byNumber(rows.transactions), byNumber(rows.receipts), byNumber(rows.logs)];
  return rows.blocks.map((block) => {
    const number = Number(block['number']);
    const held = {
      transactions: transactions.get(number) ?? [],
      receipts: receipts.get(number) ?? [],
      logs: logs.get(number) ?? [],
    };
    const isDropped = (part: Part) =>
      held[part].length === 0 && BigInt(block['timestamp'] ?? 0) < (cuts.get(tables[source][part] ?? '') ?? 0n);
    const dropped = new Set((Object.keys(held) as Part[]).filter(isDropped));
    return { number, block, source, ...held, container: containers.get(number) ?? null, dropped };
  });
}

/**
 * Containers by height.
 *
 * @param heights by index
 */
export async function readContainerRows(
  warehouse: Warehouse,
  indexName: string,
  heights: ReadonlyMap<number, number>,
): Promise<Map<number, ContainerRow>> {
  const containers = new Map<number, ContainerRow>();
  if (heights.size === 0) return containers;
  const indexes = [...heights.keys()];
  const rows = await warehouse.query<{ index: bigint; id: string; hex: string }>(
    `SELECT "index", id, hex(bytes) AS hex FROM raw.node_containers
     WHERE index_name = $1 AND "index" BETWEEN $2 AND $3 ORDER BY "index"`,
    [indexName, BigInt(Math.min(...indexes) - 1), BigInt(Math.max(...indexes))],
  );
  const ids = new Map(rows.map(({ index, id }) => [Number(index), id]));
  // Where a gap is known, the row before a container is not its parent.
  const gaps = await warehouse.query<{ last: bigint }>(
    'SELECT to_position AS last FROM firn.gap WHERE stream = $1 AND "partition" = $2',
    ['node/containers', `index_name=${indexName}`],
  );
  for (const { last } of gaps) ids.delete(Number(last));
  for (const { index, id, hex } of rows) {
    const number = heights.get(Number(index));
    if (number === undefined) continue;
    const previousId = ids.get(Number(index) - 1) ?? null;
    containers.set(number, { id, bytes: Buffer.from(hex, 'hex'), previousId });
  }
  return containers;
}
