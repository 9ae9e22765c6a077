import { z } from 'zod';
import { defineStream, type Pages, readAscending, type Window } from '../../src/index.ts';
import { addressHistory } from './addressHistory.ts';
import type { HistoryPartition } from './evmAddress.ts';
import { nativeTransaction } from './evmShapes.ts';
import { type HeightList, type HeightPosition, heightRequest, positionAfter, startOf } from './heightPages.ts';
import { data } from './source.ts';
import { transferChildren, transferLists } from './transfers.ts';

const history = addressHistory(
  ({ values: { chain_id, address } }) => ({
    path: `/v1/chains/${chain_id}/addresses/${address}/transactions`,
    newestFirst: { sortOrder: 'desc' },
  }),
  readUpwards,
);

function* readUpwards(
  list: HeightList,
  partition: HistoryPartition,
  window: Window<HeightPosition>,
): Pages<HeightPosition> {
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
  ...history,
  schema: z.object({ ...nativeTransaction, ...transferLists }),
  key: ['chain_id', 'address', 'tx_hash'],
  children: transferChildren('address_transactions'),
  lifts: 'nativeTransaction',
  records: 'transactions',
});
