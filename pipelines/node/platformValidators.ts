import { z } from 'zod';
import { amount, boolean, decimal, defineStream, echo, optional, text, uint64, unixSeconds } from '../../src/index.ts';
import { owner, platformCall, signer, subnetColumn, subnetIds } from './platform.ts';
import { node } from './source.ts';

/** Elastic subnets pay their own asset. */
const rewardUnit = 'smallest unit of the asset';

const delegator = z.object({
  txID: text('Transaction that added the delegator (cb58).'),
  nodeID: echo('NodeID of the validator.'),
  startTime: unixSeconds('Start of the delegation.'),
  endTime: unixSeconds('End of the delegation.'),
  weight: uint64('Weight; nAVAX on the Primary Network.'),
  stakeAmount: optional(uint64('Stake, as older nodes repeat the weight.')),
  potentialReward: optional(amount('Reward if the validator stays online.', rewardUnit)),
  rewardOwner: owner('the reward cannot be spent'),
});

/** Validators of the Primary Network, of subnets and L1s. */
export const platformValidators = defineStream(node, {
  name: 'platform_validators',
  description: 'Current validators of a subnet, one version per change.',
  endpoint: 'platform.getCurrentValidators',
  parameters: z.strictObject({
    subnetIds,
    nodeIds: z.array(z.string()).min(1).optional().describe('Only these validators (NodeID-...); all if omitted.'),
    delegators: z
      .boolean()
      .default(true)
      .describe(
        'Whether to read the delegators: one request for each validator that has any. Without, none is current.',
      ),
  }),
  partitionColumns: [subnetColumn],
  needs: ['network'],
  partitions: (parameters) =>
    [...new Set(parameters.subnetIds)].map((subnetId) => ({
      values: { subnet_id: subnetId },
      // Another selection is another partition: it must not close the rows of this one.
      filters: {
        ...(parameters.nodeIds && { nodeIds: [...parameters.nodeIds].sort().join('+') }),
        ...(!parameters.delegators && { delegators: false }),
      },
      lists: ['nodeIds'],
      extras: ['delegators'],
      settings: { nodeIds: parameters.nodeIds, delegators: parameters.delegators },
    })),
  schema: z.object({
    nodeID: text('NodeID.'),
    txID: optional(text('Transaction that added the validator (cb58); none for L1 validators.')),
    validationID: optional(text('Validation (cb58), of L1 validators.')),
    startTime: unixSeconds('Start of the validation, or of the cycle of an auto-renewed validator.'),
    endTime: optional(unixSeconds('End of the validation, or of the cycle; none for L1 validators.')),
    weight: uint64('Weight; nAVAX on the Primary Network.'),
    stakeAmount: optional(uint64('Stake, as older nodes repeat the weight.')),
    publicKey: optional(text('BLS public key of an L1 validator.')),
    minNonce: optional(uint64('Lowest nonce that the next weight message of an L1 validator may carry.')),
    balance: optional(amount('What an L1 validator pays its fees from.', 'nAVAX')),
    potentialReward: optional(amount('Reward if the validator stays online.', rewardUnit)),
    accruedDelegateeReward: optional(amount('Share of the rewards of delegations that ended.', rewardUnit)),
    delegationFee: optional(decimal("Share of the delegators' rewards.", 'percent')),
    uptime: optional(decimal('Share of time online as this node sees it.', 'percent')),
    connected: optional(boolean('Whether it is connected to the node that answered.')),
    delegatorCount: optional(uint64('Delegators.')),
    delegatorWeight: optional(uint64('Weight of the delegators.')),
    remainingBalanceOwner: owner('the balance that is left cannot be spent'),
    deactivationOwner: owner('this owner cannot disable the validator'),
    validationRewardOwner: owner('the reward cannot be spent'),
    delegationRewardOwner: owner('the delegation fees cannot be spent'),
    rewardOwner: owner('the reward, as older nodes name it, cannot be spent'),
    validatorAuthority: owner('this owner cannot change or stop an auto-renewed validator'),
    nextPeriod: optional(
      uint64('Length of the next cycle of an auto-renewed validator; 0 where it stops after this one.', 's'),
    ),
    autoCompoundRewardShares: optional(
      uint64("Millionths of a cycle's reward that an auto-renewed validator stakes again."),
    ),
    restakedValidationRewards: optional(amount('Rewards that an auto-renewed validator has staked again.', 'nAVAX')),
    restakedDelegateeRewards: optional(amount('Shares of delegation rewards that it has staked again.', 'nAVAX')),
    signer,
    delegators: z.array(delegator).nullish(),
  }),
  // A converted subnet may list a node twice: by the validation of its L1, and by the transaction that added it before.
  key: ['subnet_id', 'node_id', 'validation_id'],
  volatile: ['uptime', 'connected', 'balance', 'accrued_delegatee_reward'],
  children: {
    platform_delegators: {
      description: 'Current delegators, by validator, one version per change.',
      schema: delegator,
      key: ['tx_id'],
      of: 'delegators',
    },
  },
  way: 'snapshot',
  *pages(partition) {
    const { nodeIds, delegators } = partition.settings;
    const subnetID = partition.values['subnet_id'];
    const ask = (only: readonly string[] | undefined) =>
      platformCall('getCurrentValidators', { subnetID, ...(only && { nodeIDs: only }) });
    const all = yield ask(nodeIds);
    if (!delegators) return;
    yield { kind: 'read', page: all };
    const counts = all.numbers('delegator_count');
    // Delegators come only with a single validator; what cannot be read names none.
    const delegated = all
      .texts(['node_id'])
      .filter((id, place) => (counts[place] as number) > 0 && !id.startsWith('{'));
    for (const id of delegated) yield ask([id]);
  },
  records: 'validators',
});
