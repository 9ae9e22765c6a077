import { z } from 'zod';
import { defineStream, type Partition, type Window } from '../../src/index.ts';
import { evmRows } from './chainsOfRows.ts';
import { addressColumns, type HistoryPartition, historyParameters, historyPartitions } from './evmAddress.ts';
import { internalTransaction, transactionPlace } from './evmShapes.ts';
import { type HeightList, type HeightPosition, heightPages, heightsBetween, onwards } from './heightPages.ts';
import { data } from './source.ts';

/** Everything but descriptive text: the service may learn more about an address, or rename the kind. */
const said = ['tx_hash', 'from_address', 'to_address', 'value', 'is_reverted', 'gas_used', 'gas_limit'];

const listFor = ({ values: { chain_id, address } }: Partition): HeightList => ({
  path: `/v1/chains/${chain_id}/addresses/${address}/transactions:listInternals`,
});
const pages = (partition: HistoryPartition, window: Window<HeightPosition>) =>
  heightPages(listFor(partition), partition, window, said);

/** Internal transactions of addresses. */
export const addressInternalTransactions = defineStream(data, {
  name: 'address_internal_transactions',
  description: 'Internal transactions from or to an address: calls with value, and creations.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
  parameters: historyParameters,
  partitionColumns: addressColumns,
  partitions: historyPartitions,
  schema: z.object({
    ...transactionPlace,
    ...internalTransaction,
  }),
  key: ['chain_id', 'address', ...said, 'position'],
  range: 'block_number',
  files: { chain: 'chain_id', time: 'block_timestamp' },
  height: 'block_number',
  way: 'slice',
  chainOfRows: evmRows,
  ...onwards,
  pages,
  between: (partition, bounds, window: Window<HeightPosition>) =>
    heightsBetween(listFor(partition), partition, bounds, window, pages),
  records: 'transactions',
});
