import { z } from 'zod';
import { defineStream, type Partition, type Window } from '../../src/index.ts';
import { evmRows } from './chainsOfRows.ts';
import { addressColumns, type HistoryPartition, historyParameters, historyPartitions } from './evmAddress.ts';
import { erc721Transfer, transactionPlace } from './evmShapes.ts';
import { type HeightList, type HeightPosition, heightPages, heightsBetween, onwards } from './heightPages.ts';
import { data } from './source.ts';

const listFor = ({ values: { chain_id, address } }: Partition): HeightList => ({
  path: `/v1/chains/${chain_id}/addresses/${address}/transactions:listErc721`,
});
const pages = (partition: HistoryPartition, window: Window<HeightPosition>) =>
  heightPages(listFor(partition), partition, window);

/** ERC-721 transfers of addresses. */
export const addressErc721Transfers = defineStream(data, {
  name: 'address_erc721_transfers',
  description: 'ERC-721 transfers from or to an address.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/transactions:listErc721',
  parameters: historyParameters,
  partitionColumns: addressColumns,
  partitions: historyPartitions,
  schema: z.object({ ...transactionPlace, ...erc721Transfer }),
  key: ['chain_id', 'address', 'tx_hash', 'log_index'],
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
