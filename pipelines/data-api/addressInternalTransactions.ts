import { z } from 'zod';
import { defineStream } from '../../src/index.ts';
import { addressHistory } from './addressHistory.ts';
import { internalTransaction, transactionPlace } from './evmShapes.ts';
import { heightPages } from './heightPages.ts';
import { data } from './source.ts';

/** Everything but descriptive text: the service may learn more about an address, or rename the kind. */
const said = ['tx_hash', 'from_address', 'to_address', 'value', 'is_reverted', 'gas_used', 'gas_limit'];

const history = addressHistory(
  ({ values: { chain_id, address } }) => ({
    path: `/v1/chains/${chain_id}/addresses/${address}/transactions:listInternals`,
  }),
  (list, partition, window) => heightPages(list, partition, window, said),
);

/** Internal transactions of addresses. */
export const addressInternalTransactions = defineStream(data, {
  name: 'address_internal_transactions',
  description: 'Internal transactions from or to an address: calls with value, and creations.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
  ...history,
  schema: z.object({
    ...transactionPlace,
    ...internalTransaction,
  }),
  key: ['chain_id', 'address', ...said, 'position'],
  records: 'transactions',
});
