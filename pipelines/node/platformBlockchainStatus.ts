import { z } from 'zod';
import { defineStream, findChain, text, textOf } from '../../src/index.ts';
import { platformCall } from './platform.ts';
import { node } from './source.ts';

/** Status of blockchains as this node sees it. */
export const platformBlockchainStatus = defineStream(node, {
  name: 'platform_blockchain_status',
  description: 'Status of a blockchain on this node, one version per change. Unknown is a status, not an error.',
  endpoint: 'platform.getBlockchainStatus',
  parameters: z.strictObject({
    blockchainIds: z
      .array(z.string().min(1))
      .min(1)
      .default(['P', 'X', 'C'])
      .describe('Blockchains: P, X, C, a blockchain id (cb58), or an EVM chain id.'),
  }),
  partitionColumns: [{ name: 'blockchain_id', description: 'Blockchain (cb58).' }],
  needs: ['network'],
  partitions: ({ blockchainIds }, network) => {
    const ids = blockchainIds.map((name) => findChain(network, name)?.blockchainId ?? name);
    return [...new Set(ids)].map((id) => ({ values: { blockchain_id: id } }));
  },
  schema: z.object({
    status: text('Validating, Created, Preferred, Syncing, or Unknown.'),
  }),
  key: ['blockchain_id'],
  way: 'snapshot',
  *pages(partition) {
    const params = { blockchainID: partition.values['blockchain_id'] };
    yield platformCall('getBlockchainStatus', params, (body) => textOf(body, 'status'));
  },
  records: {},
});
