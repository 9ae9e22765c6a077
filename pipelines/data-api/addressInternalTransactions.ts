import { z } from 'zod';
import { defineStream, int32 } from '../../src/index.ts';
import { addressColumns, historyParameters, historyPartitions } from './evmAddress.ts';
import { internalTransaction, located } from './evmShapes.ts';
import { heightPages } from './heightPages.ts';
import { listOf, rawOf } from './listOf.ts';
import { data } from './source.ts';

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
  pages: (partition, window) => {
    const { chain_id, address } = partition.values;
    const path = `/v1/chains/${chain_id}/addresses/${address}/transactions:listInternals`;
    return heightPages({ path, member: 'transactions' }, partition, window, (record) =>
      String(rawOf(record)['txHash']),
    );
  },
  records: (body) => listOf(body, 'transactions'),
});
