import { rawElements } from '../codec/rawMembers.ts';
import type { EvmBlockRecord, EvmChain, Raw } from '../types.ts';
import { type EvmBlocks, headerOf, transactionsOf, withHashes } from './evmBlocks.ts';
import type { EvmMethods } from './evmMethods.ts';
import {
  type BlockName,
  blockNameParam,
  blockNumberParam,
  boolParam,
  hashParam,
  quantityParam,
  toPositional,
} from './evmParams.ts';
import { createEvmState, stateMethods } from './evmState.ts';
import { getLogs } from './getLogs.ts';
import { feeConfig, rulesAt } from './l1Rules.ts';
import type { NodeSettings } from './nodeSettings.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';
import { traceMethods } from './traceMethods.ts';

/** Runs one method of an EVM chain's RPC. Throws RpcError; an unknown method has code -32601. */
export type EvmCall = (method: string, params: unknown, now: number) => Raw;

/** The RPC of the C-Chain or of an L1: blocks, receipts, traces and logs from the record, state from recorded answers. */
export function createEvmService(
  chain: EvmChain,
  blocks: EvmBlocks,
  answers: RecordedAnswers,
  settings: () => NodeSettings,
): EvmCall {
  const path = `/ext/bc/${chain.name}/rpc`;
  const state = createEvmState(answers, path, blocks);
  const methods: EvmMethods = {
    ...chainMethods(chain, blocks),
    ...blockMethods(blocks),
    ...transactionMethods(blocks),
    ...traceMethods(blocks),
    eth_getLogs: [1, (p, now) => getLogs(chain, blocks, p, now)],
    ...(chain.name !== 'C' && l1Methods(answers, path, blocks)),
  };
  return (name, params, now) => {
    const { without } = settings();
    const hidden =
      (without.includes('traces') && name.startsWith('debug_')) ||
      (without.includes('receipts') && name === 'eth_getBlockReceipts');
    const method = hidden || !Object.hasOwn(methods, name) ? undefined : methods[name];
    if (method !== undefined) return method[1](toPositional(params, method[0]), now);
    if (stateMethods.has(name)) return state(name, toPositional(params, 4), now);
    // All other methods do not depend on blocks (fees, versions, configuration): they answer as recorded, or do not exist here.
    const answer = hidden ? null : answers.find(path, name, params ?? [], now, true);
    if (answer !== null) return replay(answer);
    throw new RpcError(`the method ${name} does not exist/is not available`, -32601);
  };
}

const chainMethods = ({ evmChainId }: EvmChain, blocks: EvmBlocks): EvmMethods => ({
  eth_chainId: [0, () => hex(evmChainId)],
  eth_blockNumber: [0, (_, now) => hex(blocks.last(now))],
  eth_syncing: [0, () => 'false'],
  net_version: [0, () => `"${evmChainId}"`],
  net_listening: [0, () => 'true'],
  eth_subscribe: [
    9,
    () => {
      throw new RpcError('notifications not supported', -32601);
    },
  ],
});

function blockMethods(blocks: EvmBlocks): EvmMethods {
  /** What `read` sees in a block; `null` where there is no such block. */
  const of = (name: BlockName, now: number, read: (block: EvmBlockRecord) => Raw | undefined): Raw => {
    const found = blocks.find(name, now);
    return (found === null ? undefined : read(found)) ?? 'null';
  };
  const whole = (name: BlockName, full: boolean, now: number): Raw =>
    of(name, now, (block) => (full ? block.block : withHashes(block)));
  const count = (name: BlockName, now: number): Raw => of(name, now, (block) => hex(transactionsOf(block).length));
  const transaction = (name: BlockName, position: number, now: number): Raw =>
    of(name, now, (block) => transactionsOf(block)[position]);
  // Of a transaction they are waited for, and so are traces; of a block there are none before it is executed.
  const receipts = (name: BlockName, now: number): Raw =>
    'number' in name && name.number > BigInt(blocks.last(now))
      ? 'null'
      : of(name, now, (block) => (block.number > blocks.last(now) ? 'null' : block.receipts));
  return {
    eth_getBlockByNumber: [2, (p, now) => whole(blockNumberParam(p, 0), boolParam(p, 1), now)],
    eth_getBlockByHash: [2, (p, now) => whole({ hash: hashParam(p, 0) }, boolParam(p, 1), now)],
    eth_getHeaderByNumber: [1, (p, now) => of(blockNumberParam(p, 0), now, headerOf)],
    eth_getHeaderByHash: [1, (p, now) => of({ hash: hashParam(p, 0) }, now, headerOf)],
    eth_getBlockTransactionCountByNumber: [1, (p, now) => count(blockNumberParam(p, 0), now)],
    eth_getBlockTransactionCountByHash: [1, (p, now) => count({ hash: hashParam(p, 0) }, now)],
    // A chain without mining has no such answer.
    eth_getUncleCountByBlockNumber: [1, (p, now) => of(blockNumberParam(p, 0), now, () => hex(0))],
    eth_getUncleCountByBlockHash: [1, (p, now) => of({ hash: hashParam(p, 0) }, now, () => hex(0))],
    eth_getTransactionByBlockNumberAndIndex: [
      2,
      (p, now) => transaction(blockNumberParam(p, 0), quantityParam(p, 1), now),
    ],
    eth_getTransactionByBlockHashAndIndex: [
      2,
      (p, now) => transaction({ hash: hashParam(p, 0) }, quantityParam(p, 1), now),
    ],
    eth_getBlockReceipts: [1, (p, now) => receipts(blockNameParam(p, 0), now)],
  };
}

function transactionMethods(blocks: EvmBlocks): EvmMethods {
  const of = (list: (block: EvmBlockRecord) => Raw[]) => (params: readonly unknown[], now: number) => {
    const found = blocks.findTx(hashParam(params, 0), now);
    return (found === null ? undefined : list(found.block)[found.position]) ?? 'null';
  };
  return {
    eth_getTransactionByHash: [1, of(transactionsOf)],
    eth_getTransactionReceipt: [1, of(({ receipts }) => rawElements(receipts))],
  };
}

const l1Methods = (answers: RecordedAnswers, path: string, blocks: EvmBlocks): EvmMethods => ({
  eth_feeConfig: [1, (p, now) => feeConfig(answers, path, blocks, p, now)],
  eth_getActiveRulesAt: [1, (p, now) => rulesAt(answers, path, 'eth_getActiveRulesAt', blocks, p, now)],
  eth_getActivePrecompilesAt: [1, (p, now) => rulesAt(answers, path, 'eth_getActivePrecompilesAt', blocks, p, now)],
});

const hex = (value: number): Raw => `"0x${value.toString(16)}"`;
