import { z } from 'zod';
import {
  amount,
  decimal,
  defineStream,
  int32,
  lenient,
  type NetworkFacts,
  optional,
  orShort,
  text,
  texts,
  unixSeconds,
} from '../../src/index.ts';
import { primaryAddresses } from './addresses.ts';
import { listPages } from './listPages.ts';
import { networkColumn, nodeIds, pageSize, sortOrder } from './parameters.ts';
import { data, weights } from './source.ts';
import { stakingLists } from './stakingLists.ts';

const parameters = z
  .strictObject({
    addresses: primaryAddresses.optional(),
    nodeIds: nodeIds
      .optional()
      .describe('Only rewards of staking on these nodes; needed where there are no addresses.'),
    sortOrder,
    pageSize: pageSize(100),
  })
  .refine(
    ({ addresses, nodeIds }) => addresses !== undefined || nodeIds !== undefined,
    'the service lists pending rewards by addresses or nodeIds only. Give at least one of them',
  );

/** Rewards of staking that is still going on. */
export const pendingRewards = defineStream(data, {
  name: 'pending_rewards',
  description: 'Rewards that active staking is expected to bring, with their history.',
  endpoint: 'GET /v1/networks/{network}/rewards:listPending',
  parameters,
  partitionColumns: [networkColumn],
  partitions: partitionsOf,
  schema: z.object({
    txHash: text("Staking transaction, cb58; of a VALIDATOR_FEE the delegator's."),
    rewardType: text('VALIDATOR, DELEGATOR, VALIDATOR_FEE, or a newer value.'),
    stakingType: optional(text('autoRenewed, or another kind of staking.')),
    nodeId: text('Node that is staked on.'),
    addresses: optional(texts('Addresses that the reward goes to.')),
    amountStaked: optional(amount('Stake.', 'nAVAX')),
    startTimestamp: lenient(unixSeconds('Start of the staking.')),
    endTimestamp: lenient(unixSeconds('End of the staking.')),
    progress: optional(decimal('How much of the staking period is over.', 'percent')),
    estimatedReward: orShort(
      z.object({
        amount: optional(amount('Expected reward.', 'nAVAX')),
        assetId: optional(text('Asset of the reward, cb58.')),
        name: lenient(text('Name of the asset.')),
        symbol: lenient(text('Symbol of the asset.')),
        denomination: lenient(int32('Decimals of the asset.')),
        type: optional(text('secp256k1, nft, or a newer value.')),
      }),
      'amount',
    ).nullish(),
  }),
  key: ['tx_hash', 'reward_type', 'node_id'],
  volatile: ['progress', 'estimated_reward_amount'],
  way: 'snapshot',
  *pages({ values, settings }) {
    const { requests, query } = settings;
    const path = `/v1/networks/${values['network']}/rewards:listPending`;
    for (const list of requests) yield* listPages(path, { ...list, ...query }, weights.extraLarge);
  },
  records: 'pendingRewards',
});

function partitionsOf(given: z.infer<typeof parameters>, network: NetworkFacts) {
  const { sortOrder, pageSize } = given;
  const { requests, ...rest } = stakingLists('addresses', given, network);
  return [{ ...rest, values: { network: network.network }, settings: { requests, query: { sortOrder, pageSize } } }];
}
