import { z } from 'zod';
import { defineStream } from '../../src/index.ts';
import { addressHistory } from './addressHistory.ts';
import { erc721Transfer, transactionPlace } from './evmShapes.ts';
import { heightPages } from './heightPages.ts';
import { data } from './source.ts';

const history = addressHistory(
  ({ values: { chain_id, address } }) => ({
    path: `/v1/chains/${chain_id}/addresses/${address}/transactions:listErc721`,
  }),
  heightPages,
);

/** ERC-721 transfers of addresses. */
export const addressErc721Transfers = defineStream(data, {
  name: 'address_erc721_transfers',
  description: 'ERC-721 transfers from or to an address.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/transactions:listErc721',
  ...history,
  schema: z.object({ ...transactionPlace, ...erc721Transfer }),
  key: ['chain_id', 'address', 'tx_hash', 'log_index'],
  records: 'transactions',
});
