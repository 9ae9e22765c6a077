import { z } from 'zod';
import { defineStream, int32, type Partition, type Window } from '../../src/index.ts';
import { addressColumns, historyParameters, historyPartitions } from './evmAddress.ts';
import { internalTransaction, located } from './evmShapes.ts';
import { type HeightList, heightPages, heightsBetween } from './heightPages.ts';
import { listOf, rawOf } from './listOf.ts';
import { data } from './source.ts';

const listFor = ({ values: { chain_id, address } }: Partition): HeightList => ({
  path: `/v1/chains/${chain_id}/addresses/${address}/transactions:listInternals`,
  member: 'transactions',
});
const pages = (partition: Partition, window: Window) =>
  heightPages(listFor(partition), partition, window, {
    groupOf: (record) => String(rawOf(record)['txHash']),
    itemOf: (record) => {
      const { from, to, value, gasUsed } = rawOf(record);
      return [rawOf(from)['address'], rawOf(to)['address'], value, gasUsed].join(' ').toLowerCase();
    },
  });

/** Internal transactions of addresses. */
export const addressInternalTransactions = defineStream(data, {
  name: 'address_internal_transactions',
  description: 'Internal transactions from or to an address: calls with value, and creations.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
  parameters: historyParameters,
  partitionColumns: addressColumns,
  partitions: historyPartitions,
  schema: z.object({
    ...located,
    position: int32('Place among the internal transactions of the transaction, as listed, from 0.'),
    ...internalTransaction,
  }),
  key: ['chain_id', 'address', 'tx_hash', 'position'],
  range: 'block_number',
  way: 'slice',
  pages,
  between: (partition, bounds, window) => heightsBetween(listFor(partition), partition, bounds, window, pages),
  records: (body) => listOf(body, 'transactions'),
});
