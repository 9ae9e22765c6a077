import { z } from 'zod';
import {
  defineStream,
  FirnError,
  findChain,
  findHeight,
  parseBound,
  type Request,
  type Response,
  type RpcCall,
  type RpcOutcome,
} from '../../src/index.ts';
import { block, log, receipt, trace, traceStatus, transaction } from './evmSchemas.ts';
import { type CallFrame, type FlatFrame, flattenTrace } from './flattenTrace.ts';
import { node } from './source.ts';

type Asking<T> = Generator<Request, T, Response>;
type Raw = Record<string, unknown>;

/** One item of debug_traceBlockByNumber: an error may stand where a trace should, though the request succeeded. */
interface TraceItem {
  readonly result?: CallFrame;
  readonly error?: string;
}

interface TraceStatus {
  readonly txIndex: number;
  readonly traceStatus: 'traced' | 'not_asked_for' | 'not_offered' | 'failed';
  readonly traceError?: string;
}

interface Settings {
  readonly path: string;
  readonly from: string | number;
  readonly to: string | number | undefined;
  readonly traces: boolean;
}

const quantity = (height: number) => `0x${height.toString(16)}`;
const settingsOf = (partition: { settings?: object }) => partition.settings as Settings;

/** Blocks of any EVM chain of the node with transactions, receipts, logs and call traces, by height. */
export const evmBlocks = defineStream(node, {
  name: 'evm_blocks',
  description: 'Blocks of the C-Chain and of EVM L1s, as the node gives them.',
  endpoint: 'eth_getBlockByNumber, eth_getBlockReceipts, debug_traceBlockByNumber',
  parameters: z.strictObject({
    blockchainIds: z
      .array(z.string())
      .min(1)
      .default(['C'])
      .describe('Chains: C, a blockchain id, or an EVM chain id.'),
    from: z
      .union([z.string(), z.number().int().nonnegative()])
      .default(0)
      .describe('First block: a height, a date, or an age such as -30d.'),
    to: z
      .union([z.string(), z.number().int().nonnegative()])
      .optional()
      .describe('Last block, as for `from`; the head where it is left out.'),
    traces: z.boolean().default(true).describe('Whether to ask for call traces; contracts and deployers need them.'),
  }),
  partitionColumns: [{ name: 'chain_id', description: 'EVM chain id.' }],
  partitions: (parameters, network) =>
    parameters.blockchainIds.map((name) => {
      const chain = findChain(network, name);
      if (!chain || chain.vm !== 'evm') {
        throw new FirnError(
          'config',
          `The node knows no EVM chain "${name}". It has: ${
            network.chains
              .filter((c) => c.vm === 'evm')
              .map((c) => c.alias)
              .join(', ') || 'none'
          }.`,
        );
      }
      const { from, to, traces } = parameters;
      return {
        values: { chain_id: chain.chainId },
        settings: { path: `/ext/bc/${chain.alias}/rpc`, from, to, traces },
      };
    }),
  schema: block,
  key: ['chain_id', 'number'],
  range: 'number',
  children: {
    evm_transactions: {
      description: 'Transactions of the blocks.',
      schema: transaction,
      key: ['tx_index'],
      of: (record) => record.transactions,
    },
    evm_receipts: {
      description: 'Receipts, one a transaction.',
      schema: receipt,
      key: ['tx_index'],
      of: (record) => record.receipts,
    },
    evm_logs: {
      description: 'Logs of the receipts.',
      schema: log,
      key: ['log_index'],
      of: (record) => record.receipts.flatMap(({ logs }) => logs),
    },
    evm_traces: {
      description: 'Call frames of the transactions, in preorder.',
      schema: trace,
      key: ['tx_index', 'frame'],
      of: (record) => record.frames,
    },
    evm_trace_status: {
      description: 'Whether a transaction could be traced: a missing trace is not an empty one.',
      schema: traceStatus,
      key: ['tx_index'],
      of: (record) => record.traceStatuses,
    },
  },
  way: 'range',
  position: 'number',
  size: 32,
  ahead: 4,
  *head(partition) {
    const { path, to } = settingsOf(partition);
    const answer = yield { kind: 'rpc', path, call: { method: 'eth_blockNumber', params: [] } };
    const head = Number(answer.body);
    if (to === undefined) return head;
    const bound = parseBound(to);
    const first = yield* findHeight(bound, head, (height) => blockTime(path, height));
    return Math.min(head, 'height' in bound ? first : first - 1);
  },
  *first(partition, head) {
    const { path, from } = settingsOf(partition);
    return yield* findHeight(parseBound(from), head, (height) => blockTime(path, height));
  },
  *read(partition, from, to) {
    const { path, traces } = settingsOf(partition);
    const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const calls = heights.map((height) => callsOf(height, traces));
    const answer = yield { kind: 'rpcMany', path, calls: calls.flat() };
    const outcomes = answer.body as RpcOutcome[];
    const records: unknown[] = [];
    const width = traces ? 3 : 2;
    for (const [i, height] of heights.entries()) {
      const [blockOutcome, receiptsOutcome, tracesOutcome] = outcomes.slice(i * width, (i + 1) * width);
      const found = blockOf(blockOutcome, height, path);
      const hashes = (found['transactions'] as Raw[]).map((tx) => String(tx['hash']));
      const receipts = yield* receiptsOf(path, height, hashes, receiptsOutcome);
      records.push({ ...found, receipts, ...tracesOf(hashes, tracesOutcome) });
    }
    return records;
  },
});

function callsOf(height: number, traces: boolean): RpcCall[] {
  const at = quantity(height);
  const calls: RpcCall[] = [
    { method: 'eth_getBlockByNumber', params: [at, true] },
    { method: 'eth_getBlockReceipts', params: [at] },
  ];
  return traces ? [...calls, { method: 'debug_traceBlockByNumber', params: [at, { tracer: 'callTracer' }] }] : calls;
}

function* blockTime(path: string, height: number): Asking<number> {
  const answer = yield {
    kind: 'rpc',
    path,
    call: { method: 'eth_getBlockByNumber', params: [quantity(height), false] },
  };
  return Number((answer.body as Raw | null)?.['timestamp']);
}

function blockOf(outcome: RpcOutcome | undefined, height: number, path: string): Raw {
  if (outcome && 'result' in outcome && outcome.result !== null) return outcome.result as Raw;
  const said = outcome && 'error' in outcome ? outcome.error.message : 'null';
  throw new FirnError(
    'unavailable',
    `${path} has no block ${height} (${said}) though its head is above it. The next run asks again.`,
    { retryable: true },
  );
}

const notOffered = (outcome: RpcOutcome | undefined) =>
  outcome !== undefined &&
  'error' in outcome &&
  (outcome.error.code === -32601 || /does not exist|not available/.test(outcome.error.message));

/** Receipts of the block; where the node has no eth_getBlockReceipts, each by its transaction. */
function* receiptsOf(
  path: string,
  height: number,
  hashes: readonly string[],
  outcome: RpcOutcome | undefined,
): Asking<readonly unknown[]> {
  if (outcome && 'result' in outcome && Array.isArray(outcome.result)) return outcome.result;
  if (hashes.length === 0) return [];
  const answer = yield {
    kind: 'rpcMany',
    path,
    calls: hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  };
  const singles = (answer.body as RpcOutcome[]).map((single) => ('result' in single ? single.result : null));
  if (singles.every((single) => single !== null)) return singles;
  throw new FirnError('unavailable', `${path} gives no receipts of block ${height}. The next run asks again.`, {
    retryable: true,
  });
}

/** Frames and trace status of every transaction of a block. */
function tracesOf(
  hashes: readonly string[],
  outcome: RpcOutcome | undefined,
): { frames: FlatFrame[]; traceStatuses: TraceStatus[] } {
  const items = outcome && 'result' in outcome ? (outcome.result as readonly TraceItem[] | null) : null;
  const why = missingTrace(outcome);
  const frames: FlatFrame[] = [];
  const traceStatuses = hashes.map((_, txIndex): TraceStatus => {
    const item = items?.[txIndex];
    if (!item?.result) {
      const said = item?.error ?? why.traceError;
      return { txIndex, traceStatus: item ? 'failed' : why.traceStatus, ...(said && { traceError: said }) };
    }
    frames.push(...flattenTrace(txIndex, item.result));
    return { txIndex, traceStatus: 'traced' };
  });
  return { frames, traceStatuses };
}

function missingTrace(outcome: RpcOutcome | undefined): Pick<TraceStatus, 'traceStatus' | 'traceError'> {
  if (outcome === undefined) return { traceStatus: 'not_asked_for' };
  if ('result' in outcome) return { traceStatus: 'failed', traceError: 'the node left it out' };
  return { traceStatus: notOffered(outcome) ? 'not_offered' : 'failed', traceError: outcome.error.message };
}
