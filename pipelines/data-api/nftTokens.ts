import { z } from 'zod';
import { defineStream, echo, hex, optional } from '../../src/index.ts';
import { addresses, onEachChain } from './evmAddress.ts';
import { nftToken } from './evmShapes.ts';
import { listPages } from './listPages.ts';
import { chainIdColumn, chainIds, pageSize } from './parameters.ts';
import { data, weights } from './source.ts';

/** NFTs of collections. */
export const nftTokens = defineStream(data, {
  name: 'nft_tokens',
  description: 'Tokens of an ERC-721 or ERC-1155 collection, with their history.',
  endpoint: 'GET /v1/chains/{chainId}/nfts/collections/{address}/tokens',
  parameters: z.strictObject({
    chainIds,
    addresses: addresses.describe('Contracts of the collections.'),
    pageSize: pageSize(100),
  }),
  partitionColumns: [chainIdColumn, { name: 'address', description: 'Contract of the collection, lower case.' }],
  partitions: ({ pageSize, ...given }, network) =>
    onEachChain(given, network).map((values) => ({ values, settings: { pageSize } })),
  schema: z.object({
    ...nftToken,
    address: optional(echo('Contract of the token.')),
    ownerAddress: optional(hex('Current owner; for ERC-721 only.')),
  }),
  key: ['chain_id', 'address', 'token_id'],
  way: 'snapshot',
  *pages({ values, settings }) {
    const path = `/v1/chains/${values['chain_id']}/nfts/collections/${values['address']}/tokens`;
    yield* listPages(path, settings, weights.medium);
  },
  records: 'tokens',
});
