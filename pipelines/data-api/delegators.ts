import { z } from 'zod';
import {
  amount,
  defineStream,
  lenient,
  type NetworkFacts,
  optional,
  text,
  texts,
  unixSeconds,
} from '../../src/index.ts';
import { primaryAddresses } from './addresses.ts';
import { listPages } from './listPages.ts';
import { networkColumn, nodeIds, pageSize, sortOrder } from './parameters.ts';
import { data, weights } from './source.ts';
import { stakingLists } from './stakingLists.ts';

const parameters = z.strictObject({
  rewardAddresses: primaryAddresses.optional(),
  nodeIds: nodeIds.optional().describe('Only delegations to these nodes.'),
  delegationStatus: z.enum(['completed', 'active', 'pending']).optional().describe('Only delegations in this status.'),
  sortOrder,
  pageSize: pageSize(100),
});

/** Delegations. */
export const delegators = defineStream(data, {
  name: 'delegators',
  description: 'Delegations, with their history.',
  endpoint: 'GET /v1/networks/{network}/delegators',
  parameters,
  partitionColumns: [networkColumn],
  partitions: partitionsOf,
  schema: z.object({
    txHash: text('Transaction that began the delegation, cb58.'),
    nodeId: text('Node that is delegated to.'),
    delegationStatus: optional(text('completed, active, pending, or a newer value.')),
    rewardAddresses: optional(texts('Addresses that the reward goes to.')),
    amountDelegated: optional(amount('Stake.', 'nAVAX')),
    delegationFee: optional(text('Share of the reward that the validator keeps, percent, exactly as given.')),
    startTimestamp: lenient(unixSeconds('Start of the delegation.')),
    endTimestamp: lenient(unixSeconds('End of the delegation.')),
    grossReward: optional(amount('Reward before the fee, of completed delegations.', 'nAVAX')),
    netReward: optional(amount('Reward after the fee, of completed delegations.', 'nAVAX')),
    estimatedGrossReward: optional(amount('Expected reward before the fee.', 'nAVAX')),
    estimatedNetReward: optional(amount('Expected reward after the fee.', 'nAVAX')),
  }),
  key: ['tx_hash'],
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    const { requests, query } = settings;
    const path = `/v1/networks/${values['network']}/delegators`;
    for (const list of requests)
      yield* listPages(path, { ...list, delegationStatus: filters?.['delegationStatus'], ...query }, weights.medium);
  },
  records: 'delegators',
});

function partitionsOf(given: z.infer<typeof parameters>, network: NetworkFacts) {
  const { delegationStatus, sortOrder, pageSize } = given;
  const { filters, requests, ...rest } = stakingLists('rewardAddresses', given, network);
  return [
    {
      ...rest,
      values: { network: network.network },
      filters: { ...(delegationStatus && { delegationStatus }), ...filters },
      settings: { requests, query: { sortOrder, pageSize } },
    },
  ];
}
