import { rawElements, rawMembers } from '../rawMembers.ts';
import type { EvmBlockRecord, EvmChain, Raw } from '../types.ts';
import { type EvmBlocks, headerOf, transactionsOf, txHashes, withHashes } from './evmBlocks.ts';
import { getLogs } from './evmLogs.ts';
import {
  type BlockName,
  blockNameParam,
  blockNumberParam,
  boolParam,
  hashParam,
  quantityParam,
  toPositional,
} from './evmParams.ts';
import { createEvmState, STATE_METHODS } from './evmState.ts';
import { feeConfig, rulesAt } from './l1Rules.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { goString, RpcError } from './rpcError.ts';

type Params = readonly unknown[];
type Method = (params: Params, now: number) => Raw;

/** Runs one method of an EVM chain's RPC. Throws RpcError; an unknown method has code -32601. */
export type EvmCall = (method: string, params: unknown, now: number) => Raw;

/** The RPC of the C-Chain or of an L1: blocks, receipts, traces and logs from the record, state from recorded answers. */
export function createEvmService(
  chain: EvmChain,
  blocks: EvmBlocks,
  answers: RecordedAnswers,
  without: () => ReadonlySet<string>,
): EvmCall {
  const path = `/ext/bc/${chain.name}/rpc`;
  const isL1 = chain.name !== 'C';
  const state = createEvmState(answers, path, blocks);

  const block = (name: BlockName, full: boolean, now: number): Raw => {
    const found = blocks.find(name, now);
    if (found === null) return 'null';
    return full ? found.block : withHashes(found);
  };
  const receipts = (name: BlockName, now: number): Raw => {
    if ('number' in name && name.number > BigInt(blocks.last(now))) return 'null';
    return blocks.find(name, now)?.receipts ?? 'null';
  };
  const count = (name: BlockName, now: number): Raw => {
    const found = blocks.find(name, now);
    return found === null ? 'null' : hex(transactionsOf(found).length);
  };
  const txByPosition = (name: BlockName, position: number, now: number): Raw => {
    const found = blocks.find(name, now);
    return (found === null ? undefined : transactionsOf(found)[position]) ?? 'null';
  };

  const methods: Readonly<Record<string, readonly [number, Method]>> = {
    eth_chainId: [0, () => hex(chain.evmChainId)],
    eth_blockNumber: [0, (_, now) => hex(blocks.last(now))],
    eth_syncing: [0, () => 'false'],
    net_version: [0, () => `"${chain.evmChainId}"`],
    net_listening: [0, () => 'true'],
    eth_getBlockByNumber: [2, (p, now) => block(blockNumberParam(p, 0), boolParam(p, 1), now)],
    eth_getBlockByHash: [2, (p, now) => block({ hash: hashParam(p, 0) }, boolParam(p, 1), now)],
    eth_getHeaderByNumber: [1, (p, now) => header(blocks.find(blockNumberParam(p, 0), now))],
    eth_getHeaderByHash: [1, (p, now) => header(blocks.find({ hash: hashParam(p, 0) }, now))],
    eth_getBlockTransactionCountByNumber: [1, (p, now) => count(blockNumberParam(p, 0), now)],
    eth_getBlockTransactionCountByHash: [1, (p, now) => count({ hash: hashParam(p, 0) }, now)],
    eth_getTransactionByBlockNumberAndIndex: [
      2,
      (p, now) => txByPosition(blockNumberParam(p, 0), quantityParam(p, 1), now),
    ],
    eth_getTransactionByBlockHashAndIndex: [
      2,
      (p, now) => txByPosition({ hash: hashParam(p, 0) }, quantityParam(p, 1), now),
    ],
    eth_getBlockReceipts: [1, (p, now) => receipts(blockNameParam(p, 0), now)],
    eth_getTransactionByHash: [
      1,
      (p, now) => {
        const found = blocks.findTx(hashParam(p, 0), now);
        return found === null ? 'null' : (transactionsOf(found.block)[found.position] ?? 'null');
      },
    ],
    eth_getTransactionReceipt: [
      1,
      (p, now) => {
        const found = blocks.findTx(hashParam(p, 0), now);
        return found === null ? 'null' : (rawElements(found.block.receipts)[found.position] ?? 'null');
      },
    ],
    eth_getLogs: [1, (p, now) => getLogs(chain, blocks, p, now)],
    debug_traceBlockByNumber: [
      2,
      (p, now) => {
        const name = blockNumberParam(p, 0);
        const found = blocks.find(name, now);
        return traces(found, p[1], `#${'number' in name ? name.number : blocks.last(now)}`);
      },
    ],
    debug_traceBlockByHash: [
      2,
      (p, now) => {
        const hash = hashParam(p, 0);
        return traces(blocks.find({ hash }, now), p[1], hash);
      },
    ],
    debug_traceTransaction: [
      2,
      (p, now) => {
        const found = blocks.findTx(hashParam(p, 0), now);
        if (found === null) throw new RpcError('transaction not found');
        const trace = rawMembers(rawElements(traces(found.block, p[1], ''))[found.position] ?? '{}');
        const error = trace.get('error');
        if (error !== undefined) throw new RpcError(JSON.parse(error) as string);
        return trace.get('result') ?? 'null';
      },
    ],
    eth_subscribe: [
      9,
      () => {
        throw new RpcError('notifications not supported', -32601);
      },
    ],
    ...(isL1
      ? {
          eth_feeConfig: [1, (p: Params, now: number) => feeConfig(answers, path, blocks, p, now)],
          eth_getActiveRulesAt: [
            1,
            (p: Params, now: number) => rulesAt(answers, path, 'eth_getActiveRulesAt', blocks, p, now),
          ],
          eth_getActivePrecompilesAt: [
            1,
            (p: Params, now: number) => rulesAt(answers, path, 'eth_getActivePrecompilesAt', blocks, p, now),
          ],
        }
      : {}),
  };

  return (name, params, now) => {
    const off = without();
    const hidden =
      (off.has('traces') && name.startsWith('debug_')) || (off.has('receipts') && name === 'eth_getBlockReceipts');
    const method = hidden || !Object.hasOwn(methods, name) ? undefined : methods[name];
    if (method !== undefined) return method[1](toPositional(params, method[0]), now);
    if (STATE_METHODS.has(name)) return state(name, toPositional(params, 4), now);
    // The rest does not depend on blocks (fees, versions, configuration): as recorded, or it does not exist here.
    const answer = hidden ? null : answers.find(path, name, params ?? [], now, true);
    if (answer !== null) return replay(answer);
    throw new RpcError(`the method ${name} does not exist/is not available`, -32601);
  };
}

function header(block: EvmBlockRecord | null): Raw {
  return block === null ? 'null' : headerOf(block);
}

/** Recorded callTracer frames; an unknown tracer fails for every transaction on its own, as on the node. */
function traces(block: EvmBlockRecord | null, options: unknown, name: string): Raw {
  if (block === null) throw new RpcError(`block ${name} not found`);
  if (block.number === 0 || block.traces === null) throw new RpcError('genesis is not traceable');
  const { tracer, tracerConfig } = (options ?? {}) as { tracer?: unknown; tracerConfig?: unknown };
  if (tracer === 'callTracer' && Object.values(tracerConfig ?? {}).every((value) => value === false))
    return block.traces;
  if (typeof tracer === 'string' && /^[a-z]\w*$/i.test(tracer) && tracer !== 'callTracer') {
    const error = goString(`ReferenceError: ${tracer} is not defined at <eval>:1:2(0)`);
    return `[${txHashes(block)
      .map((hash) => `{"txHash":"${hash}","error":${error}}`)
      .join()}]`;
  }
  throw new RpcError('the recording holds traces of callTracer without options only');
}

function hex(value: number): Raw {
  return `"0x${value.toString(16)}"`;
}
