import type { Ledger } from '../../types.ts';
import type { PrimaryHistory } from '../primary/primaryHistory.ts';
import type { RewardKind, Staking } from '../primary/primaryTypes.ts';
import {
  capacityOf,
  delegationsTo,
  type StakingStatus,
  splitReward,
  statusAt,
  uptimeAt,
  validationOf,
} from '../primary/stakingState.ts';

/** A validation with the values it can be filtered and sorted by; null where its kind has none. */
export interface ValidatorRow {
  readonly staking: Staking;
  readonly status: StakingStatus;
  /** Height of the block it began in; -1 from genesis. */
  readonly blockIndex: number;
  readonly capacity: bigint | null;
  /** Seconds, of active ones. */
  readonly timeRemaining: number | null;
  readonly feePercent: number | null;
  readonly uptime: number | null;
  readonly body: object;
}

/** Percent as the service writes it, with sixteen decimals. */
const feeText = (shares: number): string => (shares / 10_000).toFixed(16);

/** All validations there are at a moment (milliseconds), each in the shape of its status. */
export function validatorRows(ledger: Ledger, history: PrimaryHistory, asOf: number): ValidatorRow[] {
  const validations = history.stakings.filter(({ role }) => role === 'validator');
  const activeWeight = new Map<string, bigint>();
  for (const one of history.stakings) {
    if (statusAt(one, asOf) === 'active')
      activeWeight.set(one.subnetId, (activeWeight.get(one.subnetId) ?? 0n) + one.weight);
  }
  return validations.flatMap((staking): ValidatorRow[] => {
    const status = statusAt(staking, asOf);
    if (status === null) return [];
    const delegations = delegationsTo(history, staking, asOf);
    const bound = delegations.filter((one) => statusAt(one, asOf) === 'active');
    const delegated = bound.reduce((sum, { weight }) => sum + weight, 0n);
    const active = status === 'active';
    const uptime = active ? uptimeAt(history, staking, asOf) : null;
    const capacity = active ? capacityOf(staking, delegated) : null;
    const share = Number((staking.weight * 1_000_000_000n) / (activeWeight.get(staking.subnetId) || 1n)) / 1e7;
    const more = {
      pending: {},
      removed: { removeTxHash: staking.removedBy?.id, removeTimestamp: staking.removedBy?.time },
      completed: {
        delegatorCount: delegations.length,
        amountDelegated: String(delegations.reduce((sum, { weight }) => sum + weight, 0n)),
        rewards: paidRewards(staking),
      },
      active: {
        stakePercentage: share,
        delegatorCount: bound.length,
        amountDelegated: String(delegated),
        uptimePerformance: uptime,
        avalancheGoVersion: softwareOf(ledger),
        ...(capacity === null ? {} : { delegationCapacity: String(capacity) }),
        potentialRewards: potentialRewards(staking, bound),
        validatorHealth: {
          reachabilityPercent: uptime,
          benchedPChainRequestsPercent: 0,
          benchedXChainRequestsPercent: 0,
          benchedCChainRequestsPercent: 0,
        },
        geolocation: null,
      },
    }[status];
    return [
      {
        staking,
        status,
        blockIndex: staking.tx?.height ?? -1,
        capacity,
        timeRemaining: active ? Math.max(0, staking.end - asOf / 1000) : null,
        feePercent: staking.shares === null ? null : staking.shares / 10_000,
        uptime,
        body: { ...baseOf(staking), ...more, validationStatus: status },
      },
    ];
  });
}

const baseOf = (staking: Staking): object => ({
  txHash: staking.txId,
  nodeId: staking.nodeId,
  subnetId: staking.subnetId,
  amountStaked: String(staking.weight),
  ...(staking.shares === null ? {} : { delegationFee: feeText(staking.shares) }),
  startTimestamp: staking.start,
  endTimestamp: staking.end,
  ...(staking.signer === null ? {} : { blsCredentials: { ...staking.signer } }),
});

function potentialRewards(staking: Staking, delegations: readonly Staking[]): object {
  const fees = delegations.reduce((sum, one) => sum + splitReward(one.potentialReward ?? 0n, staking.shares).fee, 0n);
  return {
    validationRewardAmount: String(staking.potentialReward ?? 0n),
    delegationRewardAmount: String(fees),
    rewardAddresses: staking.rewardAddresses,
  };
}

/** What a finished staking was paid in outputs of one kind. */
const paid = ({ rewards }: Staking, kind: RewardKind): bigint =>
  rewards.filter(({ rewardType }) => rewardType === kind).reduce((sum, { amount }) => sum + amount, 0n);

const paidRewards = (staking: Staking): object => ({
  validationRewardAmount: String(paid(staking, 'VALIDATOR')),
  delegationRewardAmount: String(paid(staking, 'VALIDATOR_FEE')),
  rewardAddresses: staking.rewardAddresses,
  ...(staking.endedBy === null ? {} : { rewardTxHash: staking.endedBy.id }),
});

function softwareOf({ manifest }: Ledger): string {
  const { software = 'avalanchego', version = 'unknown' } =
    (manifest as { node?: { software?: string; version?: string } }).node ?? {};
  return `${software}/${version}`;
}

/** A delegation as the service shows it; estimates until it is over. */
export function renderDelegation(history: PrimaryHistory, staking: Staking, asOf: number): object {
  const status = statusAt(staking, asOf);
  const shares = validationOf(history, staking)?.shares ?? null;
  const gross = staking.potentialReward ?? 0n;
  const rewards =
    status === 'completed'
      ? {
          grossReward: String(staking.granted ? gross : 0n),
          netReward: String(paid(staking, 'DELEGATOR')),
        }
      : { estimatedGrossReward: String(gross), estimatedNetReward: String(splitReward(gross, shares).net) };
  return {
    txHash: staking.txId,
    nodeId: staking.nodeId,
    rewardAddresses: staking.rewardAddresses,
    amountDelegated: String(staking.weight),
    delegationFee: feeText(shares ?? 0),
    startTimestamp: staking.start,
    endTimestamp: staking.end,
    ...rewards,
    delegationStatus: status,
  };
}
