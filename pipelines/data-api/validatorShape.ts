import { z } from 'zod';
import { alias, amount, decimal, int64, lenient, named, optional, text, texts, unixSeconds } from '../../src/index.ts';
import { autoRenew } from './autoRenew.ts';

const rewards = (what: string) =>
  z
    .object({
      validationRewardAmount: optional(amount(`${what} for validating.`, 'nAVAX')),
      delegationRewardAmount: optional(amount(`${what} from delegations.`, 'nAVAX')),
      rewardAddresses: optional(named('addresses', texts('Addresses that the rewards go to.'))),
      rewardTxHash: optional(named('tx_hash', text('Transaction that paid them.'))),
    })
    .nullish();

/** A validation in any status; active ones carry potentialRewards, completed ones rewards, removed ones removeTxHash. */
export const validator = {
  txHash: text('Transaction that began the validation, cb58.'),
  nodeId: text('Node.'),
  subnetId: optional(text('Subnet, cb58.')),
  stakingType: optional(text('autoRenewed, or another kind of staking.')),
  autoRenew,
  validationStatus: optional(text('completed, active, pending, removed, or a newer value.')),
  amountStaked: optional(amount('Stake, or weight on a subnet.', 'nAVAX')),
  amountDelegated: optional(amount('Stake delegated to it.', 'nAVAX')),
  delegationFee: optional(
    text('Share of delegation rewards that it keeps, percent, exactly as given; NULL on subnets.'),
  ),
  delegatorCount: optional(int64('Number of delegators.')),
  delegationCapacity: optional(amount('Stake that can still be delegated to it.', 'nAVAX')),
  startTimestamp: lenient(unixSeconds('Start of the validation.')),
  endTimestamp: lenient(unixSeconds('End of the validation.')),
  blsCredentials: z
    .object({
      publicKey: optional(text('BLS public key.')),
      // Some services misspell its name.
      proofOfPossession: alias(optional(text('Proof of possession of the BLS key.')), 'proofOfPosession'),
    })
    .nullish(),
  stakePercentage: optional(decimal('Share of the whole active stake.', 'percent')),
  uptimePerformance: optional(decimal('Uptime as the service has seen it.', 'percent')),
  avalancheGoVersion: lenient(text('Version of the node.')),
  rewards: rewards('Paid'),
  potentialRewards: rewards('Expected'),
  validatorHealth: z
    .object({
      reachabilityPercent: optional(decimal('Requests answered in the last poll.', 'percent')),
      benchedPChainRequestsPercent: optional(decimal('Requests benched on the P-Chain in the last poll.', 'percent')),
      benchedXChainRequestsPercent: optional(decimal('Requests benched on the X-Chain in the last poll.', 'percent')),
      benchedCChainRequestsPercent: optional(decimal('Requests benched on the C-Chain in the last poll.', 'percent')),
    })
    .nullish(),
  geolocation: lenient(
    z.object({
      city: lenient(text('City of the node.')),
      country: lenient(text('Country of the node.')),
      countryCode: lenient(text('Country code of the node.')),
      latitude: lenient(decimal('Latitude of the node.', 'degrees')),
      longitude: lenient(decimal('Longitude of the node.', 'degrees')),
    }),
  ),
  removeTxHash: optional(text('Transaction that removed the validator of a permissioned subnet.')),
  removeTimestamp: optional(unixSeconds('When it was removed.')),
};

/** Columns that are measured, or follow from the stake of all other nodes. */
export const volatileOfValidator = [
  'delegation_capacity',
  'stake_percentage',
  'uptime_performance',
  'avalanche_go_version',
  'potential_rewards_delegation_reward_amount',
  ...[
    'reachability_percent',
    'benched_p_chain_requests_percent',
    'benched_x_chain_requests_percent',
    'benched_c_chain_requests_percent',
  ].map((name) => `validator_health_${name}`),
  ...['city', 'country', 'country_code', 'latitude', 'longitude'].map((name) => `geolocation_${name}`),
];
