import { z } from 'zod';
import { boolean, defineStream, double, int64, listOf, text, uint64, unixSeconds } from '../../src/index.ts';
import { chainIdColumn, evmChainIds, evmChains } from './evmChains.ts';
import { node } from './source.ts';

/** Validators as the VM of an L1 or subnet knows them. */
export const l1Validators = defineStream(node, {
  name: 'l1_validators',
  description:
    'Validators of L1s and subnets by their own VM, with uptimes as this node sees them. Not offered by the C-Chain.',
  endpoint: '/ext/bc/{blockchainID}/validators: validators.getCurrentValidators',
  parameters: z.strictObject({ blockchainIds: evmChainIds }),
  partitionColumns: [chainIdColumn],
  partitions: ({ blockchainIds }, network) =>
    evmChains(network, blockchainIds).map((chain) => ({
      values: { chain_id: chain.chainId },
      settings: { path: `/ext/bc/${chain.alias}/validators` },
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
    uptimePercentage: double('Share of time online as this node sees it.', 'percent'),
  }),
  key: ['chain_id', 'validation_id'],
  way: 'snapshot',
  *pages(partition) {
    const path = String(partition.settings?.['path']);
    yield { kind: 'rpc', path, call: { method: 'validators.getCurrentValidators', params: {} } };
  },
  records: (body) => listOf(body, 'validators'),
});
