import { z } from 'zod';
import { defineStream, type Partition, textIn, type Window } from '../../src/index.ts';
import { addressColumns, historyParameters, historyPartitions } from './evmAddress.ts';
import { internalTransaction, located } from './evmShapes.ts';
import { type HeightList, heightPages, heightsBetween } from './heightPages.ts';
import { rawOf } from './listOf.ts';
import { data } from './source.ts';

const listFor = ({ values: { chain_id, address } }: Partition): HeightList => ({
  path: `/v1/chains/${chain_id}/addresses/${address}/transactions:listInternals`,
  member: 'transactions',
});
const pages = (partition: Partition, window: Window) =>
  heightPages(listFor(partition), partition, window, (record) => {
    const { txHash, from, to, value, isReverted, gasUsed, gasLimit } = rawOf(record);
    const parties = [rawOf(from)['address'], rawOf(to)['address']];
    return [txHash, ...parties, value, isReverted, gasUsed, gasLimit].map(textIn).join(' ').toLowerCase();
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
    ...internalTransaction,
  }),
  // Everything but words: the service may come to know more of an address, or another word for the kind.
  key: [
    'chain_id',
    'address',
    'tx_hash',
    'from_address',
    'to_address',
    'value',
    'is_reverted',
    'gas_used',
    'gas_limit',
    'position',
  ],
  range: 'block_number',
  way: 'slice',
  pages,
  between: (partition, bounds, window) => heightsBetween(listFor(partition), partition, bounds, window, pages),
  records: 'transactions',
});
