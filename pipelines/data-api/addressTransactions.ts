import { z } from 'zod';
import { defineStream, type Pages, type Partition, readAscending, type Window } from '../../src/index.ts';
import { evmRows } from './chainsOfRows.ts';
import { addressColumns, type HistoryPartition, historyParameters, historyPartitions } from './evmAddress.ts';
import { nativeTransaction } from './evmShapes.ts';
import {
  type HeightList,
  type HeightPosition,
  heightRequest,
  heightsBetween,
  onwards,
  positionAfter,
  startOf,
} from './heightPages.ts';
import { data } from './source.ts';
import { transferChildren, transferLists } from './transfers.ts';

const listFor = ({ values }: Partition): HeightList => ({
  path: `/v1/chains/${values['chain_id']}/addresses/${values['address']}/transactions`,
  newestFirst: { sortOrder: 'desc' },
});

function* pages(partition: HistoryPartition, window: Window<HeightPosition>): Pages<HeightPosition> {
  const list = listFor(partition);
  const { to, pageSize } = partition.settings;
  const begin = yield* startOf(list, partition, window);
  if (begin === null || (to !== null && begin.from >= to)) return;
  const { since, ...rest } = begin;
  yield* readAscending({
    ...rest,
    to,
    request: (start, token) => heightRequest(list, { start, end: to, sortOrder: 'asc', pageSize }, token),
    cursor: 'block_number',
    leaveOut: (page) => page.within('block_timestamp', since),
    position: positionAfter(since),
  });
}

/** Transactions of addresses with the transfers and internal transactions that touch them. */
export const addressTransactions = defineStream(data, {
  name: 'address_transactions',
  description:
    'Transactions of an address. Their transfers and internal transactions are only those from or to the address: ' +
    'the complete view is transaction_details.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/transactions',
  parameters: historyParameters,
  partitionColumns: addressColumns,
  partitions: historyPartitions,
  schema: z.object({ ...nativeTransaction, ...transferLists }),
  key: ['chain_id', 'address', 'tx_hash'],
  range: 'block_number',
  files: { chain: 'chain_id', time: 'block_timestamp' },
  height: 'block_number',
  children: transferChildren('address_transactions'),
  way: 'slice',
  chainOfRows: evmRows,
  ...onwards,
  pages,
  between: (partition, bounds, window: Window<HeightPosition>) =>
    heightsBetween(listFor(partition), partition, bounds, window, pages),
  lifts: 'nativeTransaction',
  records: 'transactions',
});
