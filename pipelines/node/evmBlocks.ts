import { z } from 'zod';
import { defineStream, findHeight, parseBound, textIn } from '../../src/index.ts';
import { checkFirstBlock } from './checkFirstBlock.ts';
import { chainIdColumn, evmChainIds, rpcPartitions } from './evmChains.ts';
import { numberLogs, receiptsMatch } from './evmReceipts.ts';
import { block, log, receipt, trace, traceStatus, transaction } from './evmSchemas.ts';
import { blockBounds, lastHeight } from './lastHeight.ts';
import { blockHeader, blockTime, type EvmLacks, newestBlock, readEvmBlocks } from './readEvmBlocks.ts';
import { node } from './source.ts';

/** Blocks of any EVM chain of the node with transactions, receipts, logs and call traces, by height. */
export const evmBlocks = defineStream(node, {
  name: 'evm_blocks',
  description: 'Blocks of the C-Chain and of EVM L1s, as the node gives them.',
  endpoint: 'eth_getBlockByNumber, eth_getBlockReceipts, debug_traceBlockByNumber',
  parameters: z.strictObject({
    blockchainIds: evmChainIds,
    ...blockBounds,
    traces: z
      .boolean()
      .default(true)
      .describe(
        'Whether to ask for call traces; contracts and deployers need them. Switched on later, older blocks are read again.',
      ),
  }),
  partitionColumns: [chainIdColumn],
  needs: ['evm'],
  partitions: ({ blockchainIds, from, to, traces }, network) =>
    rpcPartitions(network, blockchainIds, { from, to, traces }),
  state: (): EvmLacks => ({
    blockReceipts: false,
    traces: false,
    someTraces: false,
    traced: false,
    agreement: false,
    countsAnew: false,
    untraced: undefined,
  }),
  schema: block,
  key: ['chain_id', 'number'],
  range: 'number',
  files: { chain: 'chain_id', time: 'timestamp' },
  height: 'number',
  children: {
    evm_transactions: {
      description: 'Transactions of the blocks.',
      schema: transaction,
      key: ['tx_index'],
      of: 'transactions',
    },
    evm_receipts: {
      description: 'Receipts, one a transaction.',
      schema: receipt,
      key: ['tx_index'],
      of: 'receipts',
    },
    evm_logs: {
      description: 'Logs of the receipts.',
      schema: log,
      key: ['log_index'],
      of: 'receipts.logs',
    },
    evm_traces: {
      description: 'Call frames of the transactions, in preorder.',
      schema: trace,
      key: ['tx_index', 'frame'],
      of: 'frames',
    },
    evm_trace_status: {
      description: 'Whether a transaction could be traced: a missing trace is not an empty one.',
      schema: traceStatus,
      key: ['tx_index'],
      of: 'traceStatuses',
    },
  },
  keeps: {
    told: 'evm_trace_status',
    column: 'trace_status',
    is: 'traced',
    again: 'failed',
    with: 'evm_traces',
    sameBy: 'hash',
  },
  way: 'range',
  position: 'number',
  size: 32,
  ahead: 4,
  // One request for the blocks, and then those for the receipts and traces of blocks with transactions.
  requestsFor: (_, positions) => 2 * Math.ceil(positions / 32),
  head: (partition) => newestBlock(partition.settings.path),
  // The index has blocks before they are executed: an hour that is open has no number of what needs receipts until all of them are here.
  readsOn: true,
  first: ({ settings: { path, from } }, head, brackets) =>
    findHeight(parseBound(from), head, (height) => blockTime(path, height), { brackets }),
  last: ({ settings: { path, to } }, next, head, brackets) =>
    lastHeight(to, { next, head, brackets }, (height) => blockTime(path, height)),
  checkBegin: ({ settings: { path, from } }, head) => checkFirstBlock(path, from, head),
  timeAt: (partition, position) => blockTime(partition.settings.path, position),
  *holds(partition, last) {
    const { hash } = yield* blockHeader(partition.settings.path, Number(last['number']));
    // Rows hold hex in lower case, whatever case the node writes.
    return textIn(hash).toLowerCase() === last['hash'];
  },
  agree(rows, lacks) {
    const areOwn = receiptsMatch(rows);
    lacks.agreement ||= !areOwn;
    return areOwn;
  },
  amend(rows, lacks, beginIn) {
    lacks.countsAnew = numberLogs(rows, beginIn?.('evm_logs')) || lacks.countsAnew;
  },
  link: { id: 'hash', parent: 'parent_hash' },
  takesPart: (partition) => !partition.settings.traces,
  read: ({ settings }, from, to, lacks) => readEvmBlocks(settings, from, to, lacks),
  notes: ({ settings }, lacks, kept) =>
    [
      settings.traces && lacks.someTraces && noTraces(lacks.traces ? 'The node' : 'One of the nodes behind the URL'),
      lacks.untraced !== undefined &&
        `Transactions could not be traced (${lacks.untraced}), so contracts, deployers and their cumulative metrics are not covered there. ` +
          `Later runs ask for them again, some each and five times at most; after that, once the node can trace them, or another one, ${readAgain}.`,
      kept > 0 &&
        `${kept} transactions that came without call traces keep those that were read before: these stay covered.`,
      lacks.blockReceipts && 'The node has no eth_getBlockReceipts: receipts were asked for one by one.',
      lacks.countsAnew &&
        'The node restarts the count of logs (logIndex) in each receipt. log_index is still the place in the block, as with other nodes.',
    ].filter((note) => typeof note === 'string'),
});

const readAgain = 'read the days again (firn backfill node/evm_blocks --again 2026-11-01..2026-11-30)';
const noTraces = (who: string) =>
  `${who} offers no call traces (debug_traceBlockByNumber), so contracts, deployers and their cumulative metrics are not covered. ` +
  `Enable its debug-tracer API (from avalanchego 1.15 on trace) and ${readAgain}, or set traces: false.`;
