import { z } from 'zod';
import { defineStream, named, text } from '../../src/index.ts';
import { platformCall } from './platform.ts';
import { node } from './source.ts';

/** All blockchains but the P-Chain. */
export const platformBlockchains = defineStream(node, {
  name: 'platform_blockchains',
  description: 'Blockchains that exist, the P-Chain left out, one version per change.',
  endpoint: 'platform.getBlockchains',
  deprecated: { since: 'v1.9.12', use: 'node/containers (node_containers_p_blockchains)' },
  parameters: z.strictObject({}),
  needs: ['network'],
  partitions: () => [{ values: {} }],
  schema: z.object({
    id: named('blockchain_id', text('Blockchain (cb58).')),
    name: text('Name.'),
    subnetID: text('Subnet that validates it (cb58).'),
    vmID: text('Virtual machine (cb58).'),
  }),
  key: ['blockchain_id'],
  way: 'snapshot',
  *pages() {
    yield platformCall('getBlockchains', {});
  },
  records: 'blockchains',
});
