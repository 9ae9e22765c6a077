import { z } from 'zod';
import { alias, defineStream, int32, optional, uint256 } from '../../src/index.ts';
import { addressHistory } from './addressHistory.ts';
import { richAddress, token, tokenUnit, transactionPlace } from './evmShapes.ts';
import { heightPages } from './heightPages.ts';
import { data } from './source.ts';

/** What tells one transfer from another. */
const said = ['tx_hash', 'log_index', 'token_id', 'value'];

const history = addressHistory(
  ({ values: { chain_id, address } }) => ({ path: `/v1/chains/${chain_id}/tokens/${address}/transfers` }),
  (list, partition, window) => heightPages(list, partition, window, said),
);

/** Transfers of token contracts. */
export const tokenTransfers = defineStream(data, {
  name: 'token_transfers',
  description: 'Transfers of a token contract, of ERC-20, ERC-721 or ERC-1155.',
  endpoint: 'GET /v1/chains/{chainId}/tokens/{address}/transfers',
  ...history,
  schema: z.object({
    ...transactionPlace,
    logIndex: int32('Place of the log in its block, from 0.'),
    from: richAddress,
    to: richAddress,
    value: optional(uint256('Amount transferred; NULL for ERC-721.', tokenUnit)),
    // The token stands under the name of its kind.
    token: alias(token, 'erc20Token', 'erc721Token', 'erc1155Token'),
  }),
  key: ['chain_id', 'address', ...said, 'position'],
  records: 'transfers',
});
