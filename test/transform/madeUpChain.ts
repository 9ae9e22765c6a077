import { createHash } from 'node:crypto';
import { evmBlocks } from '../../pipelines/node/evmBlocks.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { createRandom } from '../proof/random.ts';
import { commitRecords } from './loadLedger.ts';

const hex = (n: number | bigint) => `0x${n.toString(16)}`;
const hash = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const topicOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const single = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';

/** What an answer lacks, or how it differs from the one before. */
export type Form = 'whole' | 'without_traces' | 'without_receipts' | 'altered';

export interface MadeUpTransaction {
  readonly from: number;
  /** null creates a contract. */
  readonly to: number | null;
  readonly gasUsed: number;
  readonly price: bigint;
  readonly failed?: boolean;
  /** ERC-20 transfers: from, to. */
  readonly transfers?: readonly (readonly [number, number])[];
  /** ERC-1155 transfers: operator, from, to. */
  readonly multiTransfers?: readonly (readonly [number, number, number])[];
  /** Contracts created inside: creator, and whether it failed. */
  readonly creations?: readonly { readonly creator: number; readonly fails: boolean }[];
}

export interface MadeUpBlock {
  readonly number: number;
  /** Unix seconds. */
  readonly time: number;
  readonly transactions: readonly MadeUpTransaction[];
  readonly milliseconds?: number;
}

/** A block as `node/evm_blocks` assembles it from the node's answers. */
function recordOf(block: MadeUpBlock, form: Form = 'whole'): unknown {
  const own = form === 'altered' ? block.transactions.map((tx) => ({ ...tx, from: tx.from + 50 })) : block.transactions;
  const blockHash = hash(`block ${block.number}`);
  let logIndex = 0;
  let cumulative = 0;
  const at = { blockHash, blockNumber: hex(block.number) };
  const transactions = own.map((tx, i) => ({
    ...at,
    transactionIndex: hex(i),
    hash: hash(`tx ${block.number} ${i}`),
    from: address(tx.from),
    to: tx.to === null ? null : address(tx.to),
    type: '0x2',
    nonce: '0x0',
    gas: hex(tx.gasUsed),
    gasPrice: hex(tx.price),
    maxFeePerGas: hex(tx.price * 3n),
    value: '0x0',
    input: '0x',
  }));
  const receipts = own.map((tx, i) => {
    const logs = [
      ...(tx.transfers ?? []).map(([from, to]) => [transfer, topicOf(from), topicOf(to)]),
      ...(tx.multiTransfers ?? []).map((parties) => [single, ...parties.map(topicOf)]),
    ].map((topics) => ({
      ...at,
      logIndex: hex(logIndex++),
      transactionIndex: hex(i),
      transactionHash: hash(`tx ${block.number} ${i}`),
      address: address(9999),
      topics,
      data: '0x',
      removed: false,
    }));
    cumulative += tx.gasUsed;
    return {
      ...at,
      transactionIndex: hex(i),
      transactionHash: hash(`tx ${block.number} ${i}`),
      from: address(tx.from),
      to: tx.to === null ? null : address(tx.to),
      type: '0x2',
      status: tx.failed ? '0x0' : '0x1',
      cumulativeGasUsed: hex(cumulative),
      gasUsed: hex(tx.gasUsed),
      effectiveGasPrice: hex(tx.price),
      contractAddress: null,
      logs,
    };
  });
  const traced = form !== 'without_traces' && form !== 'without_receipts';
  const frames = own.flatMap((tx, txIndex) => {
    const failed = tx.failed === true;
    const outer = {
      txIndex,
      frame: 0,
      parentFrame: null,
      depth: 0,
      type: tx.to === null ? 'CREATE' : 'CALL',
      from: address(tx.from),
      to: address(tx.to ?? 7000 + block.number),
      reverted: failed,
      ...(failed && { error: 'execution reverted' }),
    };
    const inner = (tx.creations ?? []).map(({ creator, fails }, i) => ({
      txIndex,
      frame: i + 1,
      parentFrame: 0,
      depth: 1,
      type: 'CREATE2',
      from: address(creator),
      to: address(8000 + i),
      reverted: fails || failed,
      ...(fails && { error: 'out of gas' }),
    }));
    return [outer, ...inner];
  });
  return {
    number: hex(block.number),
    hash: blockHash,
    parentHash: hash(`block ${block.number - 1}`),
    timestamp: hex(block.time),
    ...(block.milliseconds !== undefined && { timestampMilliseconds: hex(block.milliseconds) }),
    gasUsed: hex(cumulative),
    gasLimit: hex(1e8),
    baseFeePerGas: '0x1',
    miner: address(0),
    difficulty: '0x1',
    nonce: '0x0',
    sha3Uncles: '0x',
    stateRoot: '0x',
    transactionsRoot: '0x',
    receiptsRoot: '0x',
    logsBloom: '0x',
    extraData: '0x',
    uncles: [],
    transactions,
    receipts: form === 'without_receipts' ? [] : receipts,
    frames: traced ? frames : [],
    traceStatuses: own.map((_, txIndex) => ({ txIndex, traceStatus: traced ? 'traced' : 'not_offered' })),
  };
}

/** Commits blocks as one load of a sync. */
export async function loadMadeUp(
  warehouse: Warehouse,
  chain: string,
  blocks: readonly MadeUpBlock[],
  form: Form = 'whole',
): Promise<void> {
  const records = blocks.map((block) => recordOf(block, form));
  await commitRecords(warehouse, evmBlocks, { values: { chain_id: chain } }, records);
}

/** A chain of its own: genesis long before, days without a block, blocks that share a second, failures, creations. */
export function madeUpChain(seed: number, length: number): MadeUpBlock[] {
  const random = createRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  let time = Date.UTC(2026, 0, 28, 20) / 1000;
  const genesis = { number: 0, time: Date.UTC(2020, 11, 5) / 1000, transactions: [] };
  const blocks = Array.from({ length }, (_, i): MadeUpBlock => {
    const gap = random();
    time += gap < 0.2 ? 0 : gap < 0.6 ? 1 + upTo(5000) : gap < 0.9 ? upTo(30_000) : upTo(200_000);
    return {
      number: i + 1,
      time,
      transactions: Array.from({ length: upTo(4) }, () => ({
        from: upTo(12),
        to: random() < 0.15 ? null : upTo(20),
        gasUsed: 21_000 + upTo(100_000),
        price: BigInt(1 + upTo(50)) * 10n ** 9n,
        failed: random() < 0.2,
        transfers: Array.from({ length: upTo(3) }, () => [upTo(25), upTo(25)] as const),
        multiTransfers: Array.from({ length: upTo(2) }, () => [30 + upTo(3), upTo(25), upTo(25)] as const),
        creations: Array.from({ length: upTo(2) }, () => ({ creator: 40 + upTo(5), fails: random() < 0.3 })),
      })),
    };
  });
  return [genesis, ...blocks];
}
