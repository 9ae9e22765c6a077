import { z } from 'zod';
import { defineStream, int32, optional, uint256 } from '../../src/index.ts';
import { addressColumns, historyParameters, historyPartitions } from './evmAddress.ts';
import { located, richAddress, token } from './evmShapes.ts';
import { heightPages } from './heightPages.ts';
import { listOf, rawOf } from './listOf.ts';
import { data } from './source.ts';

/** The token of a transfer stands under the name of its kind. */
function withToken(record: unknown): unknown {
  if (record === null || typeof record !== 'object') return record;
  const { erc20Token, erc721Token, erc1155Token, ...rest } = record as Record<string, unknown>;
  return { ...rest, token: erc20Token ?? erc721Token ?? erc1155Token };
}

/** Transfers of token contracts. */
export const tokenTransfers = defineStream(data, {
  name: 'token_transfers',
  description: 'Transfers of a token contract, of ERC-20, ERC-721 or ERC-1155.',
  endpoint: 'GET /v1/chains/{chainId}/tokens/{address}/transfers',
  parameters: historyParameters,
  partitionColumns: addressColumns,
  partitions: historyPartitions,
  schema: z.object({
    ...located,
    logIndex: int32('Place of the log in its block, from 0.'),
    position: int32('Place among the transfers of the same log, from 0; above 0 in ERC-1155 batches only.'),
    from: richAddress,
    to: richAddress,
    value: optional(uint256('Amount transferred; NULL for ERC-721.')),
    token,
  }),
  key: ['chain_id', 'address', 'tx_hash', 'log_index', 'position'],
  range: 'block_number',
  way: 'slice',
  pages: (partition, window) => {
    const { chain_id, address } = partition.values;
    const path = `/v1/chains/${chain_id}/tokens/${address}/transfers`;
    return heightPages({ path, member: 'transfers' }, partition, window, (record) => {
      const { txHash, logIndex } = rawOf(record);
      return `${txHash} ${logIndex}`;
    });
  },
  records: (body) => listOf(body, 'transfers').map(withToken),
});
