import { z } from 'zod';
import { alias, defineStream, int32, optional, type Partition, uint256, type Window } from '../../src/index.ts';
import { evmRows } from './chainsOfRows.ts';
import { addressColumns, type HistoryPartition, historyParameters, historyPartitions } from './evmAddress.ts';
import { richAddress, token, tokenUnit, transactionPlace } from './evmShapes.ts';
import { type HeightList, type HeightPosition, heightPages, heightsBetween, onwards } from './heightPages.ts';
import { data } from './source.ts';

/** What tells one transfer from another. */
const said = ['tx_hash', 'log_index', 'token_id', 'value'];

const listFor = ({ values: { chain_id, address } }: Partition): HeightList => ({
  path: `/v1/chains/${chain_id}/tokens/${address}/transfers`,
});
const pages = (partition: HistoryPartition, window: Window<HeightPosition>) =>
  heightPages(listFor(partition), partition, window, said);

/** Transfers of token contracts. */
export const tokenTransfers = defineStream(data, {
  name: 'token_transfers',
  description: 'Transfers of a token contract, of ERC-20, ERC-721 or ERC-1155.',
  endpoint: 'GET /v1/chains/{chainId}/tokens/{address}/transfers',
  parameters: historyParameters,
  partitionColumns: addressColumns,
  partitions: historyPartitions,
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
  range: 'block_number',
  files: { chain: 'chain_id', time: 'block_timestamp' },
  height: 'block_number',
  way: 'slice',
  chainOfRows: evmRows,
  ...onwards,
  pages,
  between: (partition, bounds, window: Window<HeightPosition>) =>
    heightsBetween(listFor(partition), partition, bounds, window, pages),
  records: 'transfers',
});
