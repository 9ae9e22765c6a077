import { z } from 'zod';
import { amount, defineStream, FirnError, int64, memberOf, numberIn, optional, wrongAnswer } from '../../src/index.ts';
import { platformCall, subnetColumn, subnetIds } from './platform.ts';
import { rpcMessage } from './rpcMessage.ts';
import { node } from './source.ts';

/** A number or its digits. */
function isSupply(body: unknown): void {
  if (Number.isNaN(numberIn(memberOf(body, 'supply')))) throw wrongAnswer(body, 'number "supply"');
}

/** Supply of a subnet's staking asset. */
export const platformSupply = defineStream(node, {
  name: 'platform_supply',
  description:
    'Upper bound of the tokens that can stake a subnet, one version per change. Not offered for permissioned subnets and L1s.',
  endpoint: 'platform.getCurrentSupply',
  parameters: z.strictObject({ subnetIds }),
  partitionColumns: [subnetColumn],
  needs: ['network'],
  partitions: (parameters) =>
    [...new Set(parameters.subnetIds)].map((subnetId) => ({ values: { subnet_id: subnetId } })),
  schema: z.object({
    supply: amount('Supply; burnt tokens and fees are not deducted.', 'smallest unit of the asset'),
    height: optional(int64('P-Chain height of the answer.')),
  }),
  key: ['subnet_id'],
  volatile: ['height'],
  way: 'snapshot',
  *pages(partition) {
    const subnetID = partition.values['subnet_id'];
    try {
      yield platformCall('getCurrentSupply', { subnetID }, isSupply);
    } catch (error) {
      if (!/fetching current supply failed: not found/.test(rpcMessage(error))) throw error;
      throw new FirnError('not_offered', `Subnet ${subnetID} has no supply: it is permissioned, an L1, or unknown.`);
    }
  },
  records: {},
});
