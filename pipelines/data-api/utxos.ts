import { z } from 'zod';
import { defineStream, echo, FirnError, type NetworkFacts, optional, tokenPages } from '../../src/index.ts';
import {
  addressDigest,
  addressGroups,
  bodyLimits,
  packGroups,
  primaryAddresses,
  splitNotes,
  withoutEvm,
} from './addresses.ts';
import { pageSize, sortOrder } from './parameters.ts';
import { allPrimaryChains, chainColumns, chainInfo, chainPath, primaryChains } from './primaryChain.ts';
import { utxo } from './primaryShapes.ts';
import { data, weights } from './source.ts';

const parameters = z.strictObject({
  blockchainIds: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('p-chain, x-chain, c-chain or their ids; all three if omitted (the X-Chain with assetId).'),
  addresses: primaryAddresses,
  assetId: z.string().min(1).optional().describe('Only UTXOs of this asset (X-Chain only).'),
  minUtxoAmount: z
    .union([
      z.number().int().min(0, 'minUtxoAmount is 0 or more'),
      z.string().regex(/^\d+$/, 'minUtxoAmount is 0 or more'),
    ])
    .optional()
    .describe('Only UTXOs of at least this amount, in the smallest unit.'),
  includeSpent: z.boolean().default(false).describe('Whether spent UTXOs are listed too.'),
  sortBy: z.enum(['timestamp', 'amount']).optional().describe('Order in which the service lists them.'),
  sortOrder,
  pageSize: pageSize(1024),
});

/** UTXOs of addresses on the Primary Network's chains. */
export const utxos = defineStream(data, {
  name: 'utxos',
  description: 'UTXOs of addresses on the P-, X- and C-Chain, with their spent state and its history.',
  endpoint: 'POST /v1/networks/{network}/blockchains/{blockchainId}/utxos',
  parameters,
  partitionColumns: chainColumns('p-chain, x-chain or c-chain'),
  partitions: partitionsOf,
  schema: z.object({
    network: optional(echo('mainnet or fuji.')),
    blockchain: optional(echo('p-chain, x-chain or c-chain.')),
    ...utxo,
  }),
  key: ['network', 'blockchain', 'utxo_id'],
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    const { groups, query } = settings;
    const { assetId, minUtxoAmount, includeSpent } = filters ?? {};
    for (const addresses of packGroups(groups, bodyLimits))
      yield* tokenPages((pageToken) => ({
        kind: 'post',
        path: `${chainPath(values)}/utxos`,
        query: { assetId, minUtxoAmount, includeSpent, ...query, pageToken },
        body: { addresses: addresses.join(',') },
        weight: weights.extraLarge,
      }));
  },
  records: { at: 'utxos', each: 'item', says: chainInfo },
});

function partitionsOf(given: z.infer<typeof parameters>, network: NetworkFacts) {
  const { assetId, minUtxoAmount, includeSpent, sortBy, sortOrder, pageSize } = given;
  const groups = withoutEvm(addressGroups(given.addresses, network));
  if (groups.length === 0)
    throw new FirnError('config', 'data/utxos: 0x addresses have no UTXOs. Write Primary Network addresses.');
  const names = given.blockchainIds ?? (assetId ? ['x-chain'] : allPrimaryChains);
  return primaryChains(network, names).map((blockchain) => {
    if (assetId && blockchain !== 'x-chain')
      throw new FirnError('config', `data/utxos: assetId filters on the x-chain only, not on the ${blockchain}.`);
    return {
      values: { network: network.network, blockchain },
      filters: {
        addresses: addressDigest(groups),
        includeSpent,
        ...(assetId && { assetId }),
        ...(minUtxoAmount !== undefined && { minUtxoAmount: String(minUtxoAmount) }),
      },
      lists: ['addresses'],
      settings: { groups, query: { sortBy, sortOrder, pageSize } },
      notes: splitNotes(groups, bodyLimits),
    };
  });
}
