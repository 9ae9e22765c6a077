import { z } from 'zod';
import { defineStream, echo, FirnError, hex, optional, uint256 } from '../../src/index.ts';
import { addressColumns, addresses, evmAddresses, onEachChain } from './evmAddress.ts';
import { nftToken, tokenUnit } from './evmShapes.ts';
import { listPages } from './listPages.ts';
import { chainIds, pageSize } from './parameters.ts';
import { data, weights } from './source.ts';

/** NFTs that addresses hold. */
export const collectibleBalances = defineStream(data, {
  name: 'collectible_balances',
  description: 'ERC-721 and ERC-1155 tokens that an address holds, with their history.',
  endpoint: 'GET /v1/chains/{chainId}/addresses/{address}/balances:listCollectibles',
  parameters: z.strictObject({
    chainIds,
    addresses: addresses.describe('EVM addresses of holders.'),
    contractAddress: z.string().optional().describe('Only tokens of this contract.'),
    pageSize: pageSize(500),
  }),
  partitionColumns: addressColumns,
  partitions: ({ contractAddress, pageSize, ...given }, network) => {
    const contracts = contractAddress === undefined ? [] : evmAddresses([contractAddress]);
    if (contracts.length > 1) throw new FirnError('config', 'contractAddress must be one address.');
    return onEachChain(given, network).map((values) => ({
      values,
      ...(contracts[0] && { filters: { contractAddress: contracts[0] } }),
      settings: { pageSize },
    }));
  },
  schema: z.object({
    ...nftToken,
    chainId: optional(echo('EVM chain id.')),
    ownerAddress: optional(hex('Owner as the service gives it; for ERC-721 only.')),
    balance: optional(uint256('How many the address holds; for ERC-1155 only.', tokenUnit)),
  }),
  key: ['chain_id', 'address', 'contract_address', 'token_id'],
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    const path = `/v1/chains/${values['chain_id']}/addresses/${values['address']}/balances:listCollectibles`;
    yield* listPages(path, { ...filters, pageSize: settings.pageSize }, weights.medium);
  },
  records: 'collectibleBalances',
});
