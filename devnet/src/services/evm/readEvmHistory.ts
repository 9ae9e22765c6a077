import { countUpTo } from '../../countUpTo.ts';
import type { EvmChain } from '../../types.ts';
import type { EvmBlock, EvmFrame, EvmHistory, EvmLog, EvmTransaction } from './evmHistory.ts';

interface RawBlock {
  readonly hash: string;
  readonly timestamp: string;
  readonly timestampMilliseconds?: string;
  readonly minDelayExcess?: string;
  readonly baseFeePerGas?: string;
  readonly transactions: readonly RawTransaction[];
}

interface RawTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly value: string;
  readonly type: string;
  readonly input: string;
  readonly gas: string;
  readonly gasPrice: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

interface RawReceipt {
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string;
  readonly status?: string;
  readonly contractAddress: string | null;
  readonly logs: readonly { address: string; topics: readonly string[]; data: string; logIndex: string }[];
}

interface RawFrame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly error?: string;
  readonly calls?: readonly RawFrame[];
}

/**
 * Parses a chain's blocks, receipts and traces. Hex strings carry every amount, so plain JSON loses nothing here.
 * `atomicTransactions` counts those of each height that has any.
 */
export function readEvmHistory(chain: EvmChain, atomicTransactions: ReadonlyMap<number, number>): EvmHistory {
  const transactions: EvmTransaction[] = [];
  const blocks = chain.blocks.map((record): EvmBlock => {
    const raw = JSON.parse(record.block) as RawBlock;
    const receipts = JSON.parse(record.receipts) as readonly RawReceipt[];
    const traces = JSON.parse(record.traces ?? '[]') as readonly { readonly result?: RawFrame }[];
    const own: EvmTransaction[] = [];
    const block: EvmBlock = {
      number: record.number,
      hash: raw.hash,
      time: Number(raw.timestamp),
      timeMilliseconds: raw.timestampMilliseconds === undefined ? null : Number(raw.timestampMilliseconds),
      minDelayExcess: raw.minDelayExcess === undefined ? null : Number(raw.minDelayExcess),
      baseFee: BigInt(raw.baseFeePerGas ?? 0),
      // A header may name the most that it can be.
      gasUsed: receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
      visibleAt: record.visibleAt,
      first: transactions.length,
      transactions: own,
      atomicTransactions: atomicTransactions.get(record.number) ?? 0,
    };
    raw.transactions.forEach((transaction, index) => {
      const receipt = receipts[index];
      if (receipt === undefined)
        throw new Error(`${chain.name} block ${record.number}: no receipt for transaction ${index}`);
      own.push(toTransaction(block, index, transaction, receipt, traces[index]?.result));
    });
    for (const transaction of own) transactions.push(transaction);
    return block;
  });
  const visibleBlocks = (asOf: number): number => countUpTo(blocks, asOf, (block) => block.visibleAt);
  return {
    name: chain.name,
    blockchainId: chain.blockchainId,
    subnetId: chain.subnetId,
    evmChainId: chain.evmChainId,
    blocks,
    transactions,
    visibleBlocks,
    visibleTransactions: (asOf) => blocks[visibleBlocks(asOf)]?.first ?? transactions.length,
  };
}

function toTransaction(
  block: EvmBlock,
  index: number,
  raw: RawTransaction,
  receipt: RawReceipt,
  trace: RawFrame | undefined,
): EvmTransaction {
  const frames: EvmFrame[] = [];
  if (trace !== undefined) flatten(trace, 0, false, frames);
  return {
    ordinal: block.first + index,
    block,
    index,
    hash: raw.hash,
    from: raw.from.toLowerCase(),
    to: raw.to?.toLowerCase() ?? null,
    contract: receipt.contractAddress?.toLowerCase() ?? null,
    nonce: BigInt(raw.nonce),
    value: BigInt(raw.value),
    type: Number(raw.type),
    input: raw.input,
    gasLimit: BigInt(raw.gas),
    gasUsed: BigInt(receipt.gasUsed),
    gasPrice: BigInt(receipt.effectiveGasPrice ?? raw.gasPrice),
    maxFeePerGas: raw.maxFeePerGas === undefined ? null : BigInt(raw.maxFeePerGas),
    maxPriorityFeePerGas: raw.maxPriorityFeePerGas === undefined ? null : BigInt(raw.maxPriorityFeePerGas),
    succeeded: receipt.status === undefined || BigInt(receipt.status) === 1n,
    logs: receipt.logs.map(
      (log): EvmLog => ({
        index: Number(log.logIndex),
        address: log.address.toLowerCase(),
        topics: log.topics,
        data: log.data,
      }),
    ),
    frames,
  };
}

function flatten(raw: RawFrame, depth: number, insideReverted: boolean, frames: EvmFrame[]): void {
  const failed = raw.error !== undefined;
  const reverted = insideReverted || failed;
  frames.push({
    depth,
    type: raw.type,
    from: raw.from.toLowerCase(),
    to: raw.to?.toLowerCase() ?? null,
    value: BigInt(raw.value ?? 0),
    gas: BigInt(raw.gas),
    gasUsed: BigInt(raw.gasUsed),
    failed,
    reverted,
  });
  for (const call of raw.calls ?? []) flatten(call, depth + 1, reverted, frames);
}
