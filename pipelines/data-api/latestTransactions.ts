import { z } from 'zod';
import {
  type BetweenPosition,
  type Bound,
  defineStream,
  looksBackBy,
  type NewestFirst,
  type NewestFirstPosition,
  type PartitionWith,
  type Position,
  parseBound,
  readBetween,
  readNewestFirst,
  type Window,
} from '../../src/index.ts';
import { evmRows } from './chainsOfRows.ts';
import { evmChainIds } from './evmChain.ts';
import { nativeTransaction } from './evmShapes.ts';
import { bound, chainIdColumn, chainIds, pageSize } from './parameters.ts';
import { data, weights } from './source.ts';

type ChainPartition = PartitionWith<{ readonly from: Bound; readonly pageSize: number }>;

const listOfChain = <At extends Position>(partition: ChainPartition, window: Window<At>): NewestFirst<At> => ({
  window,
  request: (pageToken) => ({
    kind: 'get',
    path: `/v1/chains/${partition.values['chain_id']}/transactions`,
    query: { status: partition.filters?.['status'], pageSize: partition.settings.pageSize, pageToken },
    weight: weights.medium,
  }),
  cursor: 'block_number',
  time: 'block_timestamp',
  height: 'block_number',
});

/** Latest transactions of EVM chains. */
export const latestTransactions = defineStream(data, {
  name: 'latest_transactions',
  description: 'Latest transactions of an EVM chain, newest first back to what was read before.',
  endpoint: 'GET /v1/chains/{chainId}/transactions',
  parameters: z.strictObject({
    chainIds,
    status: z.enum(['failed', 'success']).optional().describe('Only failed or only successful transactions.'),
    from: bound('Where the first read stops: a height, a date, or an age counted from the newest transaction.').default(
      '-24h',
    ),
    pageSize: pageSize(100),
  }),
  partitionColumns: [chainIdColumn],
  partitions: (parameters, network) => {
    const from = parseBound(parameters.from);
    return evmChainIds(network, parameters.chainIds).map((chain_id) => ({
      values: { chain_id },
      ...(parameters.status && { filters: { status: parameters.status } }),
      settings: { from, pageSize: parameters.pageSize },
    }));
  },
  schema: z.object(nativeTransaction),
  key: ['chain_id', 'tx_hash'],
  range: 'block_number',
  files: { chain: 'chain_id', time: 'block_timestamp' },
  height: 'block_number',
  way: 'newestFirst',
  chainOfRows: evmRows,
  looksBack: looksBackBy<NewestFirstPosition>('block_number', 'cursor'),
  pages: (partition, window: Window<NewestFirstPosition>) =>
    readNewestFirst({ ...listOfChain(partition, window), from: partition.settings.from }),
  between: (partition, bounds, window: Window<BetweenPosition>) => readBetween(listOfChain(partition, window), bounds),
  records: 'transactions',
});
