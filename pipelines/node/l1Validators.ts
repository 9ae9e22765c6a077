import { z } from 'zod';
import { boolean, decimal, defineStream, int64, text, uint64, unixSeconds } from '../../src/index.ts';
import { chainIdColumn, evmChainIds, evmChains } from './evmChains.ts';
import { node } from './source.ts';

/** Validators as the VM of an L1 or subnet knows them. */
export const l1Validators = defineStream(node, {
  name: 'l1_validators',
  description:
    'Validators of L1s and subnets by their own VM, one version per change, with uptimes as this node sees them. Not offered by the C-Chain.',
  endpoint: '/ext/bc/{blockchainID}/validators: validators.getCurrentValidators',
  parameters: z.strictObject({
    blockchainIds: evmChainIds,
    nodeIds: z.array(z.string()).min(1).optional().describe('Only these validators (NodeID-...); all if omitted.'),
  }),
  partitionColumns: [chainIdColumn],
  needs: ['evm'],
  partitions: ({ blockchainIds, nodeIds }, network) =>
    evmChains(network, blockchainIds).map((chain) => ({
      values: { chain_id: chain.chainId },
      // Another selection is another partition: it must not close the rows of this one.
      ...(nodeIds && { filters: { nodeIds: [...nodeIds].sort().join('+') } }),
      lists: ['nodeIds'],
      settings: { path: `/ext/bc/${chain.alias}/validators`, nodeIds },
    })),
  schema: z.object({
    validationID: text('Validation (cb58); for a subnet the transaction that added the validator.'),
    nodeID: text('NodeID.'),
    weight: uint64('Weight.'),
    startTimestamp: unixSeconds('Start of the validation.'),
    isActive: boolean('Whether an L1 validator can pay its fees; true for subnet validators.'),
    isL1Validator: boolean('Whether it validates an L1.'),
    isConnected: boolean('Whether it is connected to the node that answered.'),
    uptimeSeconds: int64('Time online as this node sees it.', 's'),
    uptimePercentage: decimal('Share of time online as this node sees it.', 'percent'),
  }),
  key: ['chain_id', 'validation_id'],
  volatile: ['is_connected', 'uptime_seconds', 'uptime_percentage'],
  way: 'snapshot',
  *pages(partition) {
    const { path, nodeIds } = partition.settings;
    const params = nodeIds ? { nodeIDs: nodeIds } : {};
    yield { kind: 'rpc', path, call: { method: 'validators.getCurrentValidators', params } };
  },
  records: 'validators',
});
