import type { EvmBlockRecord, EvmChain } from 'firn-devnet';
import { evmBlocks } from '../../pipelines/node/evmBlocks.ts';
import type { EvmLacks } from '../../pipelines/node/readEvmBlocks.ts';
import type { RawValue } from '../../src/core/json/rawValue.ts';
import { parseRecords } from '../../src/core/parse/parseRecords.ts';
import type { RpcCall, RpcOutcome } from '../../src/core/requests/request.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import type { Declared } from '../../src/core/stream/stream.ts';
import { commitBatch } from '../../src/load/commit/commit.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';

export const network: NetworkFacts = { networkId: 12345, network: 'local', hrp: 'local', chains: [] };

/** The partition of an EVM chain as `node/evm_blocks` plans it. */
function blocksPartition(chain: EvmChain, traces = true) {
  const settings = { path: `/ext/bc/${chain.name}/rpc`, from: 0, to: undefined, traces };
  return { values: { chain_id: String(chain.evmChainId) }, settings };
}

function answer(blocks: ReadonlyMap<number, EvmBlockRecord>, { method, params }: RpcCall): RpcOutcome {
  const block = blocks.get(Number((params as readonly unknown[])[0]));
  if (!block) return { result: null };
  if (method === 'eth_getBlockByNumber') return { result: JSON.parse(block.block) };
  if (method === 'eth_getBlockReceipts') return { result: JSON.parse(block.receipts) };
  if (block.traces === null) return { error: { code: -32000, message: 'genesis is not traceable' } };
  return { result: JSON.parse(block.traces) };
}

/**
 * Reads heights of a recorded chain through the stream's own code and commits them, as a sync does.
 *
 * @param cut leaves out what is not to be held
 */
export async function loadBlocks(
  warehouse: Warehouse,
  chain: EvmChain,
  numbers: readonly number[] = chain.blocks.map(({ number }) => number),
  traces = true,
  cut = (records: readonly RawValue[]) => records,
): Promise<void> {
  const blocks = new Map(chain.blocks.map((block) => [block.number, block]));
  const partition = blocksPartition(chain, traces);
  const lacks = evmBlocks.state?.() as EvmLacks;
  const records = numbers.flatMap((number) => {
    const read = evmBlocks.read(partition, number, number, lacks);
    let step = read.next();
    while (!step.done) {
      const { calls } = step.value as unknown as { calls: readonly RpcCall[] };
      step = read.next({ body: calls.map((call) => answer(blocks, call)) } as never);
    }
    return step.value;
  });
  await commitRecords(warehouse, evmBlocks, partition, cut(records as readonly RawValue[]));
}

/** Commits records, none of which the stream refuses, as one load of a sync. */
export async function commitRecords(
  warehouse: Warehouse,
  stream: Declared,
  partition: Partition,
  records: readonly unknown[],
  fetchedAt = Date.now(),
): Promise<void> {
  const page = parseRecords(stream, partition, network, records);
  if (page.quarantined.length > 0) throw new Error(page.quarantined[0]?.reason);
  await commitPage(warehouse, stream, partition, page, records.length, fetchedAt);
}

/** Commits a parsed page without moving a checkpoint. */
export async function commitPage(
  warehouse: Warehouse,
  stream: Declared,
  partition: Partition,
  page: ReturnType<typeof parseRecords>,
  records: number,
  fetchedAt: number,
): Promise<void> {
  const batch = { ...page, sets: [page.set], lookups: [], records, pages: 1, bytes: 0, request: 'test', fetchedAt };
  await commitBatch(warehouse, { stream, partition, runId: 'test', batch, from: null, to: null } as never);
}
