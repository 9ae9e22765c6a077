import { z } from 'zod';
import { boolean, defineStream, hex, lenient, optional, text, texts } from '../../src/index.ts';
import { networkToken } from './evmShapes.ts';
import { listPages } from './listPages.ts';
import { data, weights } from './source.ts';

/** EVM chains that the data service indexes. */
export const chains = defineStream(data, {
  name: 'chains',
  description: 'EVM chains that the data service indexes, with their history.',
  endpoint: 'GET /v1/chains',
  parameters: z.strictObject({
    feature: z
      .enum(['nftIndexing', 'webhooks', 'teleporter'])
      .optional()
      .describe('Only chains with this feature: nftIndexing, webhooks or teleporter.'),
  }),
  partitions: ({ feature }, { network }) => [{ values: {}, filters: { network, ...(feature && { feature }) } }],
  schema: z.object({
    chainId: text('EVM chain id.'),
    status: optional(text('OK, UNAVAILABLE, or a newer value.')),
    chainName: lenient(text('Name of the chain.')),
    description: lenient(text('Description.')),
    platformChainId: optional(text('Blockchain id, cb58.')),
    subnetId: optional(text('Subnet of the chain, cb58.')),
    vmId: optional(text('Id of its virtual machine, cb58.')),
    vmName: lenient(text('EVM, BITCOIN, ETHEREUM, or a newer value.')),
    explorerUrl: lenient(text('URL of an explorer.')),
    rpcUrl: lenient(text('Public JSON-RPC URL.')),
    wsUrl: lenient(text('Public WebSocket URL.')),
    isTestnet: optional(boolean('Whether it belongs to a test network.')),
    utilityAddresses: lenient(z.object({ multicall: lenient(hex('Multicall contract.')) })),
    networkToken,
    chainLogoUri: lenient(text("URL of the chain's logo.")),
    private: optional(boolean('Whether the chain is listed for its owner only.')),
    enabledFeatures: optional(texts('Features of the service on this chain.')),
  }),
  key: ['chain_id'],
  way: 'snapshot',
  *pages({ filters }) {
    // No pages are documented, but a token would be followed.
    yield* listPages('/v1/chains', filters, weights.free);
  },
  records: 'chains',
});
